// What colours and patterns mean.
import { STATE_STYLES } from "./state";

export function Legend() {
  return (
    <span class="legend">
      {STATE_STYLES.slice(1).map((style) => (
        <span key={style.name}>
          <i class={`swatch ${style.name}`} aria-hidden="true" /> {style.title}
        </span>
      ))}
    </span>
  );
}
