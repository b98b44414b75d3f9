// What echarts.mjs gives.

/** Draws the options of a chart with bars as SVG; width and height are CSS pixels. */
export declare function drawSvg(width: number, height: number, options: object): string;
