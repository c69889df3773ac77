// Starts the page.
import { render } from "preact";
import { followTrace } from "./api/trace";
import { App } from "./app";
import { followKeys } from "./keys";
import { followSelection } from "./selection";
import { followView } from "./time_window";
import { followAddress } from "./view";

followAddress();
followView();
followSelection();
followKeys();
void followTrace();
render(<App />, document.getElementById("app")!);
