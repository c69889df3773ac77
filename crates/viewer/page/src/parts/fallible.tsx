// Where a panel that fails leaves the others alone.
import { Component, type ComponentChildren } from "preact";

export class Fallible extends Component<{ children: ComponentChildren }, { error: string | null }> {
  override state = { error: null };

  static override getDerivedStateFromError(error: unknown): { error: string } {
    console.error(error);
    return { error: error instanceof Error ? error.message : String(error) };
  }

  override render() {
    const { error } = this.state;
    if (error === null) return this.props.children;
    return <p class="note error">This part of the page failed: {error}. The rest still works.</p>;
  }
}
