//! Stacks of an exported page, each once: answers that stand in it by the thousand tell the same ones again and again.

use std::collections::HashMap;

use serde_json::Value;

/// Stacks by their numbers.
#[derive(Debug, Default)]
pub(super) struct Stacks {
    numbers: HashMap<String, usize>,
    stacks: Vec<Value>,
}

impl Stacks {
    /// Puts a number in the place of each stack in an answer: of whatever is called `stack`, or something with `_stack`.
    pub(super) fn take_from(&mut self, answer: &mut Value) {
        match answer {
            Value::Array(values) => values.iter_mut().for_each(|value| self.take_from(value)),
            Value::Object(fields) => {
                for (name, value) in fields.iter_mut() {
                    if value.is_array() && (name == "stack" || name.ends_with("_stack")) {
                        *value = Value::from(self.number(value.take()));
                    } else {
                        self.take_from(value);
                    }
                }
            }
            _ => {}
        }
    }

    fn number(&mut self, stack: Value) -> usize {
        *self.numbers.entry(stack.to_string()).or_insert_with(|| {
            self.stacks.push(stack);
            self.stacks.len() - 1
        })
    }

    /// All of them, in the order of their numbers.
    pub(super) fn into_answer(self) -> Value {
        Value::Array(self.stacks)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_stack_is_kept_once() {
        let mut stacks = Stacks::default();
        let mut answer = json!([
            {"stack": [{"function": "a"}], "at_ns": 1, "marks": []},
            {"waker": {"stack": [{"function": "a"}]}, "end_stack": []},
        ]);
        stacks.take_from(&mut answer);
        let expected = json!([
            {"stack": 0, "at_ns": 1, "marks": []},
            {"waker": {"stack": 0}, "end_stack": 1},
        ]);
        assert_eq!(answer, expected);
        assert_eq!(stacks.into_answer(), json!([[{"function": "a"}], []]));
    }
}
