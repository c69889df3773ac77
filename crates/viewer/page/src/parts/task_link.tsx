// A task by its id, as a link to its page.
import { plainName } from "../name";
import { useStore } from "../store";
import { linkTo, view } from "../view";

export function TaskLink({ id, name }: { id: string; name?: string }) {
  useStore(view);
  const isUser = id.startsWith("user:");
  const text = plainName((name ?? "").slice((name ?? "").lastIndexOf("/") + 1), 60);
  return (
    <a href={linkTo({ page: "task", id, at: undefined })} title={isUser ? "this user task" : "all that it did"}>
      {id}
      {text === "" ? null : <bdi> {text}</bdi>}
    </a>
  );
}
