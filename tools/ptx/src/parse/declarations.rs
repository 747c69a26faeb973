//! The declarations of a module: its version, functions and variables.

use std::collections::HashMap;

use super::tokens::{Number, Token, tokens};
use super::tree::{Function, Module, Value, Variable, size_of};
use crate::error::{Result, invalid, unsupported};

/// The largest variable.
const LARGEST: usize = 1 << 30;

pub struct Parser<'a> {
    tokens: Vec<(Token<'a>, u32)>,
    pub at: usize,
    /// How many brackets are open. A text with more than a few is hostile.
    pub depth: u32,
    /// The sizes of the variables' elements.
    pub elements: HashMap<&'a str, usize>,
}

/// Parses a module.
pub fn module(text: &str) -> Result<Module<'_>> {
    let mut parser = Parser { tokens: tokens(text)?, at: 0, depth: 0, elements: HashMap::new() };
    let mut module = Module::default();
    while parser.at < parser.tokens.len() {
        parser.top(&mut module)?;
    }
    Ok(module)
}

impl<'a> Parser<'a> {
    pub fn line(&self) -> u32 {
        self.tokens.get(self.at).or(self.tokens.last()).map_or(0, |(_, line)| *line)
    }

    /// Refuses what is here.
    pub fn expected<T>(&self, what: &str) -> Result<T> {
        invalid(self.line(), format!("{what} expected, not {:?}", self.peek().unwrap_or(&Token::Text)))
    }

    pub fn peek(&self) -> Option<&Token<'a>> {
        self.peek_after(0)
    }

    pub fn peek_after(&self, count: usize) -> Option<&Token<'a>> {
        self.tokens.get(self.at + count).map(|(token, _)| token)
    }

    /// Returns the word that is here, or an empty one.
    pub fn word(&self) -> &'a str {
        match self.peek() {
            Some(Token::Word(word)) => word,
            _ => "",
        }
    }

    pub fn is(&self, mark: char) -> bool {
        self.peek() == Some(&Token::Mark(mark))
    }

    pub fn take(&mut self, mark: char) -> bool {
        let is = self.is(mark);
        self.at += usize::from(is);
        is
    }

    pub fn expect(&mut self, mark: char) -> Result {
        if self.take(mark) { Ok(()) } else { self.expected(&format!("`{mark}`")) }
    }

    pub fn name(&mut self) -> Result<&'a str> {
        match self.word() {
            "" => self.expected("a name"),
            word => {
                self.at += 1;
                Ok(word)
            }
        }
    }

    pub fn integer(&mut self) -> Result<i64> {
        match self.number()? {
            Number::Int(value) => Ok(value as i64),
            _ => self.expected("an integer"),
        }
    }

    fn count(&mut self) -> Result<usize> {
        let (line, value) = (self.line(), self.integer()?);
        match usize::try_from(value) {
            Ok(count) if count <= LARGEST => Ok(count),
            _ => invalid(line, format!("{value} is too large")),
        }
    }

    /// Passes over the rest of the line.
    pub fn skip_line(&mut self) {
        let line = self.line();
        while self.tokens.get(self.at).is_some_and(|token| token.1 == line) {
            self.at += 1;
        }
    }

    pub fn skip_to(&mut self, mark: char) {
        while self.at < self.tokens.len() && !self.take(mark) {
            self.at += 1;
        }
    }

    /// Parses a list up to its end.
    pub fn list<T>(&mut self, end: char, mut one: impl FnMut(&mut Self) -> Result<T>) -> Result<Vec<T>> {
        let mut out = Vec::new();
        while !self.take(end) {
            out.push(one(self)?);
            if !self.is(end) {
                self.expect(',')?;
            }
        }
        Ok(out)
    }

    /// Runs what parses the inside of brackets.
    pub fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        if self.depth == 64 {
            return invalid(self.line(), "too many brackets inside each other");
        }
        self.depth += 1;
        let parsed = parse(self);
        self.depth -= 1;
        parsed
    }

    fn top(&mut self, module: &mut Module<'a>) -> Result {
        match self.word() {
            ".version" => {
                self.at += 1;
                let Some(&Token::Number(Number::Double(version))) = self.peek() else {
                    return self.expected("a version");
                };
                module.version = version;
                self.at += 1;
            }
            ".target" => {
                self.at += 1;
                module.target = self.name()?;
                while self.take(',') {
                    module.is_debug |= self.name()? == "debug";
                }
            }
            ".address_size" => {
                self.at += 1;
                let line = self.line();
                if self.integer()? != 64 {
                    return invalid(line, ".address_size 32");
                }
            }
            ".file" | ".loc" => self.skip_line(),
            ".pragma" => self.skip_to(';'),
            ".alias" => return unsupported(self.line(), ".alias"),
            ".section" => self.skip_to('}'),
            word if word.starts_with('.') => self.declaration(module)?,
            _ if self.take(';') => {}
            _ => return self.expected("a directive"),
        }
        Ok(())
    }

    /// A function or a variable.
    fn declaration(&mut self, module: &mut Module<'a>) -> Result {
        while let ".extern" | ".visible" | ".weak" | ".common" = self.word() {
            self.at += 1;
        }
        if let ".entry" | ".func" = self.word() {
            let function = self.function()?;
            // A definition replaces a declaration.
            match module.functions.iter_mut().find(|known| known.name == function.name) {
                Some(known) if known.body.is_some() && function.body.is_some() => {
                    return invalid(function.line, format!("{} is defined twice", function.name));
                }
                Some(known) if function.body.is_some() => *known = function,
                Some(_) => {}
                None => module.functions.push(function),
            }
            return Ok(());
        }
        module.variables.extend(self.variables(';')?);
        Ok(())
    }

    fn function(&mut self) -> Result<Function<'a>> {
        let line = self.line();
        let mut function = Function { line, is_entry: self.word() == ".entry", ..Function::default() };
        self.at += 1;
        if self.take('(') {
            function.results = self.variables(')')?;
        }
        function.name = self.name()?;
        if self.take('(') {
            function.parameters = self.variables(')')?;
        }
        self.attributes(&mut function)?;
        if self.take('{') {
            function.body = Some(self.block()?);
        } else {
            self.expect(';')?;
        }
        Ok(function)
    }

    /// The directives between a function's parameters and its body.
    fn attributes(&mut self, function: &mut Function<'a>) -> Result {
        loop {
            let (line, word) = (self.line(), self.word());
            if word.is_empty() {
                return Ok(());
            }
            self.at += 1;
            match word {
                ".pragma" => self.skip_to(';'),
                ".maxntid" | ".reqntid" => {
                    let sizes = self.sizes()?;
                    let most = sizes.iter().try_fold(1_u32, |product, size| product.checked_mul(*size));
                    function.most = Some(most.map_or_else(|| invalid(line, "too many threads"), Ok)?);
                    if word == ".reqntid" {
                        function.required = Some(sizes);
                    }
                }
                ".minnctapersm"
                | ".maxnctapersm"
                | ".maxnreg"
                | ".abi_preserve"
                | ".abi_preserve_control" => {
                    self.integer()?;
                }
                ".noreturn" => {}
                ".reqnctapercluster" | ".maxclusterrank" | ".explicitcluster" | ".blocksareclusters" => {
                    function.refused = Some((line, word));
                    if word.starts_with(".reqn") || word.starts_with(".maxc") {
                        self.sizes()?;
                    }
                }
                _ => return unsupported(line, word),
            }
        }
    }

    fn sizes(&mut self) -> Result<[u32; 3]> {
        let mut sizes = [1; 3];
        for (index, size) in sizes.iter_mut().enumerate() {
            if index == 0 || self.take(',') {
                *size = self.count()? as u32;
            }
        }
        Ok(sizes)
    }

    /// Variables of one list: those of a declaration share the space and the type.
    pub fn variables(&mut self, end: char) -> Result<Vec<Variable<'a>>> {
        let mut like = Variable::default();
        self.list(end, |parser| parser.variable(&mut like))
    }

    fn variable(&mut self, like: &mut Variable<'a>) -> Result<Variable<'a>> {
        let (mut explicit, mut vector, mut of_pointer) = (None, 1_usize, false);
        like.line = self.line();
        while self.word().starts_with('.') {
            let word = self.name()?;
            match &word[1..] {
                // After `.ptr` they describe the memory that the parameter points to.
                "param" | "local" | "shared" | "global" | "const" if of_pointer => {}
                "align" if of_pointer => drop(self.count()?),
                "param" | "reg" | "local" | "shared" | "global" | "const" => like.space = &word[1..],
                "align" => explicit = Some(self.count()?),
                "ptr" => of_pointer = true,
                "v2" => vector = 2,
                "v4" => vector = 4,
                "managed" | "attribute" | "tex" => return unsupported(like.line, word),
                kind if size_of(kind).is_some() => like.kind = kind,
                _ => return invalid(like.line, format!("{word} is not a type")),
            }
        }
        let Some(element) = size_of(like.kind) else { return self.expected("a type") };
        let mut variable = Variable { name: self.name()?, ..like.clone() };
        self.elements.insert(variable.name, element * vector);
        let (mut count, mut is_open) = (Some(vector), false);
        while self.take('[') {
            if self.is(']') {
                is_open = true;
            } else {
                let more = self.count()?;
                count = count.and_then(|count| count.checked_mul(more));
            }
            self.expect(']')?;
        }
        if self.take('=') {
            self.values(&mut variable.values)?;
        }
        if is_open {
            count = count.and_then(|count| count.checked_mul(variable.values.len()));
        }
        let size = count.and_then(|count| count.checked_mul(element)).filter(|size| *size <= LARGEST);
        let alignment = explicit.unwrap_or(element * vector);
        match size {
            Some(size) if alignment.is_power_of_two() && alignment <= 1 << 16 => {
                (variable.size, variable.alignment) = (size, alignment);
                Ok(variable)
            }
            Some(_) => invalid(like.line, format!("the alignment {alignment}")),
            None => invalid(like.line, format!("{} is too large", variable.name)),
        }
    }

    fn values(&mut self, out: &mut Vec<Value<'a>>) -> Result {
        if self.take('{') {
            self.list('}', |parser| parser.nested(|parser| parser.values(out)))?;
            return Ok(());
        }
        if let Some(&Token::Word(mut name)) = self.peek() {
            self.at += 1;
            // Every address is generic here.
            let generic = name == "generic" && self.take('(');
            if generic {
                name = self.name()?;
                self.expect(')')?;
            }
            let plus = if self.take('+') { self.integer()? } else { 0 };
            out.push(Value::Address(name, plus));
            return Ok(());
        }
        out.push(Value::Number(self.number()?));
        Ok(())
    }
}
