//! Parses the declarations of a module: its version, its target, functions and variables.

use std::collections::HashMap;

use super::load_error::{Result, invalid_at_line, unsupported_at_line};
use super::syntax_tree::{
    InitialValue, ParsedFunction, ParsedModule, ParsedVariable, SymbolLinkage, type_bytes,
};
use super::tokenizer::{NumberLiteral, Token, tokenize};

const MAX_VARIABLE_BYTES: usize = 1 << 30;

#[derive(Default)]
pub struct PtxParser<'a> {
    pub tokens: Vec<(Token<'a>, u32)>,
    pub position: usize,
    /// How many brackets are open. `parse_nested` limits their number, since the parser is recursive.
    pub bracket_depth: u32,
    pub element_bytes: HashMap<&'a str, usize>,
    /// The vector registers of the current function, each with its number of elements.
    pub vectors: HashMap<&'a str, u32>,
    /// The number of the current input of the linker. Each input begins with `.version`.
    input: u32,
}

pub fn parse_module(text: &str) -> Result<ParsedModule<'_>> {
    let mut parser = PtxParser { tokens: tokenize(text)?, ..PtxParser::default() };
    let mut module = ParsedModule::default();
    while parser.position < parser.tokens.len() {
        parser.parse_directive(&mut module)?;
    }
    Ok(module)
}

impl<'a> PtxParser<'a> {
    pub fn current_line(&self) -> u32 {
        self.tokens.get(self.position).or(self.tokens.last()).map_or(0, |(_, line)| *line)
    }

    pub fn expected_error<T>(&self, what: &str) -> Result<T> {
        let found = self.peek_token().unwrap_or(&Token::Text);
        invalid_at_line(self.current_line(), format!("{what} expected, not {found:?}"))
    }

    pub fn peek_token(&self) -> Option<&Token<'a>> {
        self.tokens.get(self.position).map(|(token, _)| token)
    }

    /// Returns the current word, or an empty string if the current token is not a word.
    pub fn current_word(&self) -> &'a str {
        match self.peek_token() {
            Some(Token::Word(word)) => word,
            _ => "",
        }
    }

    pub fn is_at(&self, mark: char) -> bool {
        self.peek_token() == Some(&Token::Mark(mark))
    }

    pub fn take_mark(&mut self, mark: char) -> bool {
        let is = self.is_at(mark);
        self.position += usize::from(is);
        is
    }

    pub fn expect_mark(&mut self, mark: char) -> Result {
        if self.take_mark(mark) { Ok(()) } else { self.expected_error(&format!("`{mark}`")) }
    }

    pub fn parse_name(&mut self) -> Result<&'a str> {
        match self.current_word() {
            "" => self.expected_error("a name"),
            word => {
                self.position += 1;
                Ok(word)
            }
        }
    }

    pub fn parse_integer(&mut self) -> Result<i64> {
        match self.parse_number()? {
            NumberLiteral::Int(value) => Ok(value as i64),
            _ => self.expected_error("an integer"),
        }
    }

    fn parse_count(&mut self) -> Result<usize> {
        let (line, value) = (self.current_line(), self.parse_integer()?);
        match usize::try_from(value) {
            Ok(count) if count <= MAX_VARIABLE_BYTES => Ok(count),
            _ => invalid_at_line(line, format!("{value} is too large")),
        }
    }

    /// Parses the `<5>` of `%r<5>`, if the name has one.
    pub fn parse_name_count(&mut self) -> Result<Option<u32>> {
        if !self.take_mark('<') {
            return Ok(None);
        }
        let count = self.parse_count()?;
        if count > 1 << 16 {
            return invalid_at_line(self.current_line(), format!("{count} of one name"));
        }
        self.expect_mark('>')?;
        Ok(Some(count as u32))
    }

    pub fn skip_line(&mut self) {
        let line = self.current_line();
        while self.tokens.get(self.position).is_some_and(|token| token.1 == line) {
            self.position += 1;
        }
    }

    pub fn skip_to_mark(&mut self, mark: char) {
        while self.position < self.tokens.len() && !self.take_mark(mark) {
            self.position += 1;
        }
    }

    /// Parses a list whose elements commas separate, and the mark `end` after the list.
    pub fn parse_list<T>(
        &mut self,
        end: char,
        mut one: impl FnMut(&mut Self) -> Result<T>,
    ) -> Result<Vec<T>> {
        let mut out = Vec::new();
        while !self.take_mark(end) {
            out.push(one(self)?);
            if !self.is_at(end) {
                self.expect_mark(',')?;
            }
        }
        Ok(out)
    }

    pub fn parse_nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        if self.bracket_depth == 64 {
            return invalid_at_line(self.current_line(), "too many brackets inside each other");
        }
        self.bracket_depth += 1;
        let parsed = parse(self);
        self.bracket_depth -= 1;
        parsed
    }

    fn parse_directive(&mut self, module: &mut ParsedModule<'a>) -> Result {
        match self.current_word() {
            ".version" => {
                self.position += 1;
                let Some(&Token::Number(NumberLiteral::Double(version))) = self.peek_token() else {
                    return self.expected_error("a version");
                };
                module.version = version.max(module.version);
                self.input += 1;
                self.position += 1;
            }
            ".target" => {
                self.position += 1;
                module.target = self.parse_name()?;
                while self.take_mark(',') {
                    module.is_debug |= self.parse_name()? == "debug";
                }
            }
            ".address_size" => {
                self.position += 1;
                let line = self.current_line();
                if self.parse_integer()? != 64 {
                    return invalid_at_line(line, ".address_size 32");
                }
            }
            ".file" | ".loc" => self.skip_line(),
            ".pragma" => self.skip_to_mark(';'),
            ".alias" => return unsupported_at_line(self.current_line(), ".alias"),
            ".section" => self.skip_to_mark('}'),
            word if word.starts_with('.') => self.parse_declaration(module)?,
            _ if self.take_mark(';') => {}
            _ => return self.expected_error("a directive"),
        }
        Ok(())
    }

    fn parse_declaration(&mut self, module: &mut ParsedModule<'a>) -> Result {
        let mut linkage = SymbolLinkage { input: self.input, is_local: true, ..SymbolLinkage::default() };
        while let word @ (".extern" | ".visible" | ".weak" | ".common") = self.current_word() {
            linkage.is_local = false;
            linkage.is_weak |= matches!(word, ".weak" | ".common");
            linkage.is_extern |= word == ".extern";
            self.position += 1;
        }
        if let ".entry" | ".func" = self.current_word() {
            let mut function = self.parse_function()?;
            linkage.is_local &= !function.is_entry;
            function.linkage = linkage;
            let mut all = module.functions.iter_mut();
            let known =
                all.find(|known| known.name == function.name && known.linkage.is_same_symbol(linkage));
            let Some(known) = known else {
                module.functions.push(function);
                return Ok(());
            };
            let both = known.body.is_some() && function.body.is_some();
            if both && !known.linkage.is_weak && !linkage.is_weak {
                return invalid_at_line(function.line, format!("{} is defined twice", function.name));
            }
            // A definition replaces a declaration, and a definition that is not weak replaces a weak one.
            if function.body.is_some() && (!both || (known.linkage.is_weak && !linkage.is_weak)) {
                *known = function;
            }
            return Ok(());
        }
        let variables = self.parse_variables(';')?.into_iter();
        module.variables.extend(variables.map(|variable| ParsedVariable { linkage, ..variable }));
        Ok(())
    }

    fn parse_function(&mut self) -> Result<ParsedFunction<'a>> {
        let line = self.current_line();
        let mut function =
            ParsedFunction { line, is_entry: self.current_word() == ".entry", ..ParsedFunction::default() };
        self.position += 1;
        if self.take_mark('(') {
            function.results = self.parse_variables(')')?;
        }
        function.name = self.parse_name()?;
        if self.take_mark('(') {
            function.parameters = self.parse_variables(')')?;
        }
        self.parse_function_attributes(&mut function)?;
        self.vectors.clear();
        if self.take_mark('{') {
            function.body = Some(self.parse_block()?);
        } else {
            self.expect_mark(';')?;
        }
        Ok(function)
    }

    /// Parses the directives between a function's parameters and its body.
    fn parse_function_attributes(&mut self, function: &mut ParsedFunction<'a>) -> Result {
        loop {
            let (line, word) = (self.current_line(), self.current_word());
            if word.is_empty() {
                return Ok(());
            }
            self.position += 1;
            match word {
                ".pragma" => self.skip_to_mark(';'),
                ".maxntid" | ".reqntid" => {
                    let mut sizes = [1; 3];
                    for (index, size) in sizes.iter_mut().enumerate() {
                        if index == 0 || self.take_mark(',') {
                            *size = self.parse_count()? as u32;
                        }
                    }
                    let most = sizes.iter().try_fold(1_u32, |product, size| product.checked_mul(*size));
                    function.most = Some(most.map_or_else(|| invalid_at_line(line, "too many threads"), Ok)?);
                    if word == ".reqntid" {
                        function.required = Some(sizes);
                    }
                }
                ".noreturn" => {}
                ".reqnctapercluster" | ".maxclusterrank" | ".explicitcluster" | ".blocksareclusters" => {
                    function.refused = Some((line, word));
                }
                ".minnctapersm"
                | ".maxnctapersm"
                | ".maxnreg"
                | ".abi_preserve"
                | ".abi_preserve_control" => {}
                _ => return unsupported_at_line(line, word),
            }
            // Skips the numbers of directives that this interpreter does not support, or that have no effect here.
            while matches!(self.peek_token(), Some(Token::Number(_) | Token::Mark(','))) {
                self.position += 1;
            }
        }
    }

    /// Parses a list of variables. In `.reg .b32 %a, %b`, the second variable has the space and the type of the first.
    pub fn parse_variables(&mut self, end: char) -> Result<Vec<ParsedVariable<'a>>> {
        let mut like = ParsedVariable::default();
        self.parse_list(end, |parser| parser.parse_variable(&mut like))
    }

    fn parse_variable(&mut self, like: &mut ParsedVariable<'a>) -> Result<ParsedVariable<'a>> {
        let (mut explicit, mut vector, mut of_pointer) = (None, 1, false);
        like.line = self.current_line();
        while self.current_word().starts_with('.') {
            let word = self.parse_name()?;
            match &word[1..] {
                // After `.ptr`, the space and the alignment are those of the memory that the parameter points to.
                "param" | "local" | "shared" | "global" | "const" if of_pointer => {}
                "align" if of_pointer => drop(self.parse_count()?),
                "param" | "reg" | "local" | "shared" | "global" | "const" => like.space = &word[1..],
                "align" => explicit = Some(self.parse_count()?),
                "ptr" => of_pointer = true,
                "v2" => vector = 2,
                "v4" => vector = 4,
                "managed" | "attribute" | "tex" => return unsupported_at_line(like.line, word),
                kind if type_bytes(kind).is_some() => like.kind = kind,
                _ => return invalid_at_line(like.line, format!("{word} is not a type")),
            }
        }
        let Some(element) = type_bytes(like.kind) else { return self.expected_error("a type") };
        let is_register = like.space == "reg";
        let mut variable = ParsedVariable { name: self.parse_name()?, vector, ..like.clone() };
        variable.count = self.parse_name_count()?;
        if is_register && vector > 1 {
            self.vectors.insert(variable.name, vector);
            if variable.count.is_some() {
                return unsupported_at_line(like.line, format!("several vectors {}", variable.name));
            }
        }
        let vector = vector as usize;
        self.element_bytes.insert(variable.name, element * vector);
        let (mut count, mut is_open) = (Some(vector), false);
        while !is_register && self.take_mark('[') {
            let is_empty = self.is_at(']');
            is_open |= is_empty;
            let more = if is_empty { 1 } else { self.parse_count()? };
            count = count.and_then(|count| count.checked_mul(more));
            self.expect_mark(']')?;
        }
        if !is_register && self.take_mark('=') {
            self.parse_initial_values(&mut variable.values)?;
        }
        if is_open {
            count = count.and_then(|count| count.checked_mul(variable.values.len()));
        }
        let size = count.and_then(|count| count.checked_mul(element));
        let Some(size) = size.filter(|size| *size <= MAX_VARIABLE_BYTES) else {
            return invalid_at_line(like.line, format!("{} is too large", variable.name));
        };
        let alignment = explicit.unwrap_or(element * vector);
        if !alignment.is_power_of_two() || alignment > 1 << 16 {
            return invalid_at_line(like.line, format!("the alignment {alignment}"));
        }
        (variable.size, variable.alignment) = (size, alignment);
        Ok(variable)
    }

    fn parse_initial_values(&mut self, out: &mut Vec<InitialValue<'a>>) -> Result {
        if self.take_mark('{') {
            self.parse_list('}', |parser| parser.parse_nested(|parser| parser.parse_initial_values(out)))?;
            return Ok(());
        }
        out.push(match self.current_word() {
            "" => InitialValue::Number(self.parse_number()?),
            _ => {
                let mut name = self.parse_name()?;
                // `generic(name)` and `name` are the same: the addresses of all variables are generic here.
                if name == "generic" && self.take_mark('(') {
                    name = self.parse_name()?;
                    self.expect_mark(')')?;
                }
                let plus = if self.take_mark('+') { self.parse_integer()? } else { 0 };
                InitialValue::Address(name, plus)
            }
        });
        Ok(())
    }
}
