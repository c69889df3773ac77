//! User tasks and regions as filters see them.

use exectrace_reader::{StringId, TaskId};

use super::instance::begin_or_end;
use super::measured::{Measured, Place};
use crate::{AnnotationsReport, Context, Field, Id, Record, RecordKind, Value};

/// What a filter can ask of a user task or a region.
pub(crate) struct AnnotationRecord<'a> {
    pub(crate) measured: &'a Measured,
    pub(crate) annotations: &'a AnnotationsReport,
    pub(crate) context: &'a Context<'a>,
}

impl AnnotationRecord<'_> {
    /// The user task itself, or that of the region.
    fn user_task(&self) -> Option<crate::UserTaskPlace> {
        match self.measured.place {
            Place::UserTask(place) => Some(place),
            Place::Region(place) => self.annotations.regions[place.0].user_task,
        }
    }

    fn name(&self, place: Place) -> Option<Value<'_>> {
        let name = place.name(self.annotations)?;
        Some(Value::Text(self.context.tables.string(name)))
    }

    fn function(&self) -> Option<StringId> {
        let moment = begin_or_end(self.measured.place, self.annotations)?;
        let frame = self.context.tables.frames(moment.stack).next()?;
        Some(frame.function)
    }

    /// The task whose region it is, or that began the user task.
    fn task(&self) -> Option<TaskId> {
        match self.measured.place {
            Place::Region(place) => Some(self.annotations.regions[place.0].task),
            place @ Place::UserTask(_) => Some(begin_or_end(place, self.annotations)?.task),
        }
    }
}

impl Record for AnnotationRecord<'_> {
    const KIND: RecordKind = RecordKind::Annotation;

    fn value(&self, field: Field) -> Option<Value<'_>> {
        let (it, begin) = (self.measured, self.context.begin);
        match field {
            Field::Task => self.task().map(|task| Value::Id(Id::Task(task))),
            Field::UserTask => {
                let user_task = &self.annotations.user_tasks[self.user_task()?.0];
                Some(Value::Id(Id::UserTask(user_task.id)))
            }
            Field::UserTaskName => self.name(Place::UserTask(self.user_task()?)),
            Field::Name => self.name(it.place),
            Field::Kind => Some(Value::Text(it.place.kind().name().as_bytes())),
            Field::Function => {
                let function = self.function().unwrap_or_default();
                Some(Value::Text(self.context.tables.string(function)))
            }
            Field::Duration => Some(Value::Ns(it.ns())),
            Field::Begin => Some(Value::Ns(it.begin.since_ns(begin))),
            Field::End => Some(Value::Ns(it.end.since_ns(begin))),
            Field::IsOpenLeft => Some(Value::Flag(it.is_open_left)),
            Field::IsOpenRight => Some(Value::Flag(it.is_open_right)),
            _ => None,
        }
    }
}
