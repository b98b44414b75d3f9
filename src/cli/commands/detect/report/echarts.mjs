// The parts of echarts that draw bars as SVG. It is JavaScript, because the library's declarations need the types of a browser.

import { BarChart } from "echarts/charts";
import { GridComponent } from "echarts/components";
import { init, use } from "echarts/core";
import { SVGRenderer } from "echarts/renderers";

use([BarChart, GridComponent, SVGRenderer]);

/** Draws the options as SVG. */
export function drawSvg(width, height, options) {
  const chart = init(null, null, { renderer: "svg", ssr: true, width, height });
  chart.setOption({ animation: false, ...options });
  const svg = chart.renderToSVGString();
  chart.dispose();
  return svg;
}
