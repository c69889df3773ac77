// Where an exported page opens, if its address says nothing: at the stretch that it was made for.
import { amend, view } from "../view";
import type { ExportedPage } from "./exported_page";

export async function openAtWindow(page: ExportedPage): Promise<void> {
  const { window } = await page.about;
  if (window === null || Object.keys(view.value).length > 0) return;
  amend({ from: `${window.from_ns}`, to: `${window.to_ns}` });
}
