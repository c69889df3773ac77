// The pages, a row each: the keys 1, 2, 3 … open them in this order.
import type { ComponentType } from "preact";
import { Overview } from "./overview";

export interface Page {
  /** As it stands in the URL. */
  name: string;
  title: string;
  content: ComponentType;
  /** Whether it stands in the navigation: others are reached by links. */
  isListed?: boolean;
}

export const PAGES: readonly Page[] = [{ name: "overview", title: "overview", content: Overview }];
