//! Filters as trees.

use super::comparison::{Comparison, Operator};
use super::constant::Constant;
use super::lexer::{Lexer, Token};
use super::{Expected, Field, FieldType, FilterError, Node, RecordKinds};

/// How deep `(` and `!` may be nested: who reads and who asks go down as deep.
const DEPTH_MAX: usize = 64;

/// Reads a filter for records of some of these kinds; the answer tells those that have all of its fields.
pub(super) fn parse(text: &str, kinds: RecordKinds) -> Result<(Node, RecordKinds), FilterError> {
    let mut lexer = Lexer::new(text);
    let (column, token) = lexer.next()?;
    let mut parser = Parser {
        lexer,
        asked: kinds,
        left: kinds,
        column,
        token,
    };
    let node = parser.any(0)?;
    match parser.token {
        Token::End => Ok((node, parser.left)),
        _ => Err(parser.missing(Expected::End)),
    }
}

struct Parser<'t> {
    lexer: Lexer<'t>,
    /// The kinds of records that are asked for.
    asked: RecordKinds,
    /// Those of them that have all fields so far.
    left: RecordKinds,
    /// Where the next part begins.
    column: usize,
    /// The next part.
    token: Token<'t>,
}

impl<'t> Parser<'t> {
    fn missing(&self, expected: Expected) -> FilterError {
        FilterError::Missing {
            column: self.column,
            expected,
        }
    }

    /// Takes the next part.
    fn take(&mut self) -> Result<Token<'t>, FilterError> {
        let (column, token) = self.lexer.next()?;
        self.column = column;
        Ok(std::mem::replace(&mut self.token, token))
    }

    /// What `||` joins.
    fn any(&mut self, depth: usize) -> Result<Node, FilterError> {
        self.joined(&Token::Or, depth, Self::all, Node::Any)
    }

    /// What `&&` joins.
    fn all(&mut self, depth: usize) -> Result<Node, FilterError> {
        self.joined(&Token::And, depth, Self::one, Node::All)
    }

    fn joined(
        &mut self,
        sign: &Token<'_>,
        depth: usize,
        part: fn(&mut Self, usize) -> Result<Node, FilterError>,
        join: fn(Vec<Node>) -> Node,
    ) -> Result<Node, FilterError> {
        let first = part(self, depth)?;
        if self.token != *sign {
            return Ok(first);
        }
        let mut nodes = vec![first];
        while self.token == *sign {
            self.take()?;
            nodes.push(part(self, depth)?);
        }
        Ok(join(nodes))
    }

    fn one(&mut self, depth: usize) -> Result<Node, FilterError> {
        let column = self.column;
        let is_nested = matches!(self.token, Token::Not | Token::Open);
        if is_nested && depth == DEPTH_MAX {
            return Err(FilterError::Depth { column });
        }
        match self.token {
            Token::Not => {
                self.take()?;
                Ok(Node::Not(Box::new(self.one(depth + 1)?)))
            }
            Token::Open => {
                self.take()?;
                let node = self.any(depth + 1)?;
                match self.token {
                    Token::Close => self.take()?,
                    _ => return Err(self.missing(Expected::Parenthesis)),
                };
                Ok(node)
            }
            Token::Word(word) => {
                let field = self.field(word)?;
                self.take()?;
                Ok(Node::Comparison(self.comparison(field)?))
            }
            _ => Err(self.missing(Expected::Field)),
        }
    }

    /// The field of a name, which all that is asked so far can be asked with.
    fn field(&mut self, name: &str) -> Result<Field, FilterError> {
        let (column, kinds) = (self.column, self.asked);
        let field = Field::named(name);
        let field = field.filter(|field| kinds.iter().any(|kind| field.is_of(kind)));
        let field = field.ok_or(FilterError::Field { column, kinds })?;
        let left: RecordKinds = self.left.iter().filter(|&kind| field.is_of(kind)).collect();
        if left.is_empty() {
            let kinds = self.left;
            return Err(FilterError::Apart { column, kinds });
        }
        self.left = left;
        Ok(field)
    }

    /// What is asked of a field. A flag alone asks whether it is so.
    fn comparison(&mut self, field: Field) -> Result<Comparison, FilterError> {
        let column = self.column;
        let operator = match self.token {
            Token::Operator(operator) => operator,
            Token::Word("contains") => Operator::Contains,
            _ if field.value_type() == FieldType::Flag => {
                return Ok(Comparison {
                    field,
                    operator: Operator::Equal,
                    constant: Constant::Flag(true),
                });
            }
            _ => return Err(self.missing(Expected::Operator(field))),
        };
        if !operator.is_of(field.value_type()) {
            return Err(FilterError::Operator { column, field });
        }
        self.take()?;
        let column = self.column;
        let constant = match &self.token {
            Token::Constant(constant) => constant.clone(),
            Token::Word("true") => Constant::Flag(true),
            Token::Word("false") => Constant::Flag(false),
            _ => return Err(self.missing(Expected::Value(field))),
        };
        let constant = constant.of_type(field.value_type());
        let constant = constant.ok_or(FilterError::Type { column, field })?;
        self.take()?;
        Ok(Comparison {
            field,
            operator,
            constant,
        })
    }
}
