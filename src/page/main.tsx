// Entry point of the browser: renders the page from the facts in it.

import { render } from "preact";
import { App } from "./app.tsx";

const facts = JSON.parse(document.getElementById("facts")?.textContent ?? "");
render(<App facts={facts} />, document.getElementById("app") as HTMLElement);
