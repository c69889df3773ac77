// Starts the page.
import { render } from "preact";
import { exportedPage } from "./api/door";
import { followTrace } from "./api/trace";
import { App } from "./app";
import { openAtWindow } from "./exported/opening";
import { followKeys } from "./keys";
import { followSelection } from "./selection";
import { followView } from "./time_window";
import { followAddress } from "./view";

if (exportedPage !== null) await openAtWindow(exportedPage);
followAddress();
followView();
followSelection();
followKeys();
void followTrace();
render(<App />, document.getElementById("app")!);
