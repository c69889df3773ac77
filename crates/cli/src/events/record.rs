//! Events as filters see them: by the fields that are printed, so that what is seen can be asked for.

use std::io;

use exectrace_analysis::{Field, FieldType, Id, Record, RecordKind, Value};
use exectrace_format::{TaskId, UserTaskId, WorkerId};

use super::Printed;
use super::fields::{self, Fields};

impl Record for Printed<'_, '_> {
    const KIND: RecordKind = RecordKind::Event;

    fn value(&self, field: Field) -> Option<Value<'_>> {
        match field {
            Field::Time => Some(Value::Ns(self.since_ns())),
            Field::Type => Some(Value::Text(self.type_name().as_bytes())),
            Field::Function => {
                let mut frames = self.reader.tables().frames(self.event.stack);
                let function = frames.next().map(|frame| frame.function);
                Some(Value::Text(self.string(function.unwrap_or_default())))
            }
            _ => {
                let mut picked = Picked { field, value: None };
                // Nothing is written, so nothing fails.
                let _ = fields::tell(self, &mut picked);
                picked.value
            }
        }
    }
}

/// The value of one field among all of an event.
struct Picked<'p> {
    field: Field,
    value: Option<Value<'p>>,
}

impl<'p> Picked<'p> {
    fn offer(&mut self, name: &str, value: impl FnOnce(FieldType) -> Value<'p>) -> io::Result<()> {
        if self.field.name() == name {
            self.value = Some(value(self.field.value_type()));
        }
        Ok(())
    }
}

impl<'p> Fields<'p> for Picked<'p> {
    fn number(&mut self, name: &'static str, value: u64) -> io::Result<()> {
        self.offer(name, |field_type| match field_type {
            FieldType::Task => Value::Id(Id::Task(TaskId(value))),
            FieldType::UserTask => Value::Id(Id::UserTask(UserTaskId(value))),
            _ => Value::Number(value),
        })
    }

    fn worker(&mut self, name: &'static str, value: WorkerId) -> io::Result<()> {
        self.offer(name, |_| Value::Id(Id::Worker(value)))
    }

    fn word(&mut self, name: &'static str, value: &'static str) -> io::Result<()> {
        self.text(name, value.as_bytes())
    }

    fn text(&mut self, name: &'static str, value: &'p [u8]) -> io::Result<()> {
        self.offer(name, |_| Value::Text(value))
    }
}
