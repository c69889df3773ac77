// The page's frame: the strip of trust, the pages, and the one that is open.
import { useEffect } from "preact/hooks";
import { trace, words } from "./api/trace";
import { isHelpOpen } from "./keys";
import { plainName } from "./name";
import { listedPages, PAGES } from "./pages/list";
import { Fallible } from "./parts/fallible";
import { ExportedNote } from "./panels/exported_note";
import { Help } from "./panels/help";
import { Search } from "./panels/search";
import { Trust } from "./panels/trust";
import { useStore } from "./store";
import { linkTo, view } from "./view";

export function App() {
  const { page: name = "overview" } = useStore(view);
  const told = useStore(trace);
  const page = PAGES.find((it) => it.name === name) ?? PAGES[0]!;
  useEffect(() => {
    document.title =
      told === null
        ? "exectrace"
        : `${page.title(words(told))} – ${plainName(told.name.slice(told.name.lastIndexOf("/") + 1), 80)} – exectrace`;
  }, [told, page]);
  const Content = page.content;
  return (
    <>
      <Trust />
      <ExportedNote />
      <div class="bar">
        <nav class="pages" aria-label="Pages">
          {listedPages(told).map((it) => (
            <a key={it.name} href={linkTo(changeTo(it.name))} aria-current={it === page ? "page" : undefined}>
              {it.title(words(told))}
            </a>
          ))}
        </nav>
        <Search />
        <button type="button" onClick={() => isHelpOpen.set(true)} aria-label="Keys">
          ?
        </button>
      </div>
      {told !== null && (
        <Fallible key={page.name}>
          <Content />
        </Fallible>
      )}
      <Help />
    </>
  );
}

/** Goes to a page with the same window, and nothing of what other pages ask for. */
function changeTo(name: string) {
  return {
    page: name === "overview" ? undefined : name,
    id: undefined,
    at: undefined,
    group: undefined,
    user: undefined,
    where: undefined,
    sort: undefined,
  };
}
