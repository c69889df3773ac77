// The keys, as they are listed.
import { useEffect, useRef } from "preact/hooks";
import { isHelpOpen, KEYS } from "../keys";
import { useStore } from "../store";

const SHOWN: Record<string, string> = { ArrowRight: "→", ArrowLeft: "←", ArrowDown: "↓", ArrowUp: "↑", Escape: "Esc" };

export function Help() {
  const isOpen = useStore(isHelpOpen);
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (isOpen && !dialog.current?.open) dialog.current?.showModal();
    if (!isOpen) dialog.current?.close();
  }, [isOpen]);
  return (
    <dialog ref={dialog} class="help" aria-labelledby="help-title" onClose={() => isHelpOpen.set(false)}>
      {isOpen && (
        <>
          <h2 id="help-title">Keys</h2>
          <dl>
            {KEYS.map(({ keys, title }) => (
              <div key={title}>
                <dt>
                  <kbd>{keys.map((key) => SHOWN[key] ?? key).join(" ")}</kbd>
                </dt>
                <dd>{title}</dd>
              </div>
            ))}
          </dl>
          <p>
            With the mouse: drag or scroll to pan, Ctrl and the wheel to zoom, click to select, double click to zoom to it, Shift
            and drag to measure.
          </p>
          <form method="dialog">
            <button>close</button>
          </form>
        </>
      )}
    </dialog>
  );
}
