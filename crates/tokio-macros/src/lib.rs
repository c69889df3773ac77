//! The attributes `main` and `test` of `exectrace-tokio`.
//!
//! They are Tokio's, told to build the runtime with `exectrace-tokio`. Tokio's attributes find the crate that has the runtime
//! by name, `tokio` unless an argument says otherwise; a program may know `exectrace-tokio` by that name, or by its own. Which
//! it is stands on the compiler's command line, so these attributes look there, add the argument, and leave the rest to Tokio's.
//! That takes a crate of its own, since attributes can only come from one for the compiler; it has no dependencies.

mod adapter_name;

use proc_macro::{Delimiter, Group, Ident, Literal, Punct, Spacing, Span, TokenStream, TokenTree};

/// As `#[tokio::main]`, with a traced runtime. All arguments of Tokio's are understood.
#[proc_macro_attribute]
pub fn main(arguments: TokenStream, function: TokenStream) -> TokenStream {
    forward("tokio_main", arguments, function)
}

/// As `#[tokio::test]`, with a traced runtime. All arguments of Tokio's are understood.
#[proc_macro_attribute]
pub fn test(arguments: TokenStream, function: TokenStream) -> TokenStream {
    forward("tokio_test", arguments, function)
}

/// The function with the attribute `#[::name::attribute(crate = "::name", arguments)]`.
fn forward(attribute: &str, arguments: TokenStream, function: TokenStream) -> TokenStream {
    let name = adapter_name::find(std::env::args());
    let mut inner = TokenStream::new();
    if !names_crate(&arguments) {
        inner.extend([
            ident("crate"),
            punct('=', Spacing::Alone),
            Literal::string(&format!("::{name}")).into(),
            punct(',', Spacing::Alone),
        ]);
    }
    inner.extend(arguments);
    let mut path = TokenStream::from_iter(path_separator());
    path.extend([ident(&name)]);
    path.extend(path_separator());
    path.extend([
        ident(attribute),
        Group::new(Delimiter::Parenthesis, inner).into(),
    ]);
    let mut tokens = TokenStream::from_iter([
        punct('#', Spacing::Alone),
        Group::new(Delimiter::Bracket, path).into(),
    ]);
    tokens.extend(function);
    tokens
}

/// Whether the program itself says which crate has the runtime.
fn names_crate(arguments: &TokenStream) -> bool {
    let mut arguments = arguments.clone().into_iter();
    arguments.any(|token| matches!(token, TokenTree::Ident(ident) if ident.to_string() == "crate"))
}

fn ident(name: &str) -> TokenTree {
    Ident::new(name, Span::call_site()).into()
}

fn punct(character: char, spacing: Spacing) -> TokenTree {
    Punct::new(character, spacing).into()
}

fn path_separator() -> [TokenTree; 2] {
    [punct(':', Spacing::Joint), punct(':', Spacing::Alone)]
}
