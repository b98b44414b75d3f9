// The functions that the build of the page calls for JSX.

export { Fragment, h } from "preact";
