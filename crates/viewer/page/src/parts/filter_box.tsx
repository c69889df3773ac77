// The filter language of the command line, in a box; what is wrong with a filter the server says.
import { useEffect, useState } from "preact/hooks";
import { FILTER_ID } from "../keys";
import { useStore } from "../store";
import { go, view } from "../view";

export function FilterBox({ example }: { example: string }) {
  const { where = "" } = useStore(view);
  const [text, setText] = useState(where);
  useEffect(() => setText(where), [where]);
  return (
    <form
      class="filter"
      onSubmit={(event) => {
        event.preventDefault();
        go({ where: text.trim() });
      }}
    >
      <input
        id={FILTER_ID}
        type="text"
        aria-label="Filter, as --where takes it"
        placeholder={example}
        value={text}
        spellcheck={false}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          // Keys mean what they mean elsewhere again.
          if (event.key === "Escape") event.currentTarget.blur();
        }}
      />
      <button type="submit">filter</button>
      {where !== "" && (
        <button type="button" aria-label="No filter" onClick={() => go({ where: undefined })}>
          ✕
        </button>
      )}
    </form>
  );
}
