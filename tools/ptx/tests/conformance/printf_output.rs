//! Tests what a kernel prints: conversions of C's `printf`, with widths and precisions that are arguments.

use crate::interpreter_runner::TestMemory;
use cuda_external_ptx::Module;

/// Returns what a kernel prints for a format and values. A value is a PTX operand with its size in bytes. The operand
/// `%d2` is the address of "abc".
fn print_in_kernel(format: &str, values: &[(&str, usize)]) -> String {
    let (mut end, mut stores) = (0_usize, String::new());
    for (value, size) in values {
        let at = end.next_multiple_of(*size);
        stores += &format!("st.local.b{} [list+{at}], {value};\n", 8 * size);
        end = at + size;
    }
    let bytes = format.bytes().map(|byte| format!("{byte}, ")).collect::<String>();
    let text = format!(
        ".version 8.7\n.target sm_90\n.extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n\
         .global .b8 format[] = {{{bytes}0}}; .global .b8 word[4] = {{97, 98, 99, 0}}; .visible .entry f() {{\n\
         .reg .b64 %d<3>; .local .align 8 .b8 list[64]; .param .b64 p0; .param .b64 p1; .param .b32 r;\n\
         mov.u64 %d0, format; st.param.b64 [p0], %d0; mov.u64 %d1, list; cvta.local.u64 %d1, %d1;\n\
         st.param.b64 [p1], %d1; mov.u64 %d2, word; {stores}call (r), vprintf, (p0, p1); ret; }}\n"
    );
    let module = Module::load_ptx(&text).expect("a module");
    let memory = TestMemory::default();
    let kernel = module.kernel("f").expect("a kernel").expect("it runs");
    memory.run_kernel(kernel, 1, [1; 3], &[], 1).expect("no fault");
    String::from_utf8(memory.printed.into_inner().expect("no panic")).expect("a text")
}

#[test]
#[cfg_attr(miri, ignore = "C's library formats")]
fn conversions_are_those_of_c() {
    assert_eq!(print_in_kernel("hello", &[]), "hello");
    assert_eq!(print_in_kernel("%d%% %u %x\n", &[("-1", 4), ("7", 4), ("255", 4)]), "-1% 7 ff\n");
    assert_eq!(
        print_in_kernel("%c%5d|%-5d|%05lld", &[("65", 4), ("42", 4), ("42", 4), ("42", 8)]),
        "A   42|42   |00042"
    );
    assert_eq!(print_in_kernel("%s|%5.2s|%p", &[("%d2", 8), ("%d2", 8), ("16", 8)]), "abc|   ab|0x10");
    let doubles = [("0d3FD5555555555555", 8), ("0d4097700000000000", 8), ("0d4008000000000000", 8)];
    assert_eq!(print_in_kernel("%.3f %e %a", &doubles), "0.333 1.500000e+03 0x1.8p+1");
    assert_eq!(print_in_kernel("%*d|%.*g", &[("-4", 4), ("7", 4), ("2", 4), doubles[0]]), "7   |0.33");
    assert_eq!(print_in_kernel("%hhd %k %99999d %", &[("257", 4)]), "1 %k %99999d %");
}
