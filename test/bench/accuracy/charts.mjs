// Draws the charts as SVG with Apache ECharts, without a browser, each for light and for dark pages.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as echarts from "echarts";

const FOLDER = join(import.meta.dirname, "../charts");
const WIDTH = 760;
const THEMES = {
  light: { text: "#1f2328", faint: "#d1d9e0", colors: ["#0969da", "#bc4c00", "#6e7781"] },
  dark: { text: "#f0f6fc", faint: "#3d444d", colors: ["#4493f8", "#f0883e", "#9198a1"] },
};
const FONT = { fontFamily: "sans-serif", fontSize: 13 };

/** Draws a bar chart of the disposable domains that each tool finds. */
export function drawRecall(scores) {
  const tools = scores.filter(({ crawl }) => crawl !== undefined).toReversed();
  const percent = ({ hits, n }) => Number(((hits / n) * 100).toFixed(1));
  const bars = (name, key) => ({
    name,
    type: "bar",
    data: tools.map((score) => percent(score[key])),
    label: { show: true, position: "right", formatter: "{c} %" },
  });
  draw("recall", 90 + tools.length * 46, "Disposable domains found, in %", (theme) => ({
    grid: { left: 272, right: 64, top: 78, bottom: 28 },
    xAxis: { ...axis(theme), type: "value", max: 100 },
    yAxis: { ...axis(theme), type: "category", data: tools.map(({ name }) => name.replaceAll("*", "")) },
    series: [bars("reported later", "reports"), bars("live in early 2026", "crawl")],
  }));
}

/** Draws a line chart of how much a list finds by its age. */
export function drawAging({ frozen, community }) {
  const line = (name, points) => ({
    name,
    type: "line",
    symbolSize: 7,
    data: points
      .toSorted((a, b) => a.months - b.months)
      .map(({ months, percent }) => [Number(months.toFixed(2)), Number(percent.toFixed(2))]),
  });
  draw("age", 380, "How a list of disposable domains ages: live domains that it finds, in %", (theme) => ({
    grid: { left: 12, right: 24, top: 78, bottom: 34, containLabel: true },
    xAxis: {
      ...axis(theme),
      type: "value",
      name: "months since the last update",
      nameLocation: "middle",
      nameGap: 30,
      nameTextStyle: { ...FONT, color: theme.text },
      interval: 3,
      max: 15,
    },
    yAxis: { ...axis(theme), type: "value", max: 100 },
    series: [line("knew every domain from its first day", frozen), line("the community's list", community)],
  }));
}

function axis(theme) {
  return {
    axisLabel: { ...FONT, color: theme.text },
    axisLine: { lineStyle: { color: theme.faint } },
    axisTick: { show: false },
    splitLine: { lineStyle: { color: theme.faint } },
  };
}

function draw(name, height, title, options) {
  mkdirSync(FOLDER, { recursive: true });
  for (const [shade, theme] of Object.entries(THEMES)) {
    const chart = echarts.init(null, null, { renderer: "svg", ssr: true, width: WIDTH, height });
    const { series, ...rest } = options(theme);
    chart.setOption({
      animation: false,
      color: theme.colors,
      textStyle: { ...FONT, color: theme.text },
      title: { text: title, left: 8, top: 6, textStyle: { ...FONT, fontSize: 15, color: theme.text } },
      legend: { left: 8, itemGap: 70, top: 38, itemHeight: 10, textStyle: { ...FONT, color: theme.text } },
      ...rest,
      series: series.map(({ label, ...others }) => ({
        ...others,
        label: label && { ...label, ...FONT, color: theme.text },
      })),
    });
    writeFileSync(join(FOLDER, `${name}-${shade}.svg`), `${chart.renderToSVGString()}\n`);
    chart.dispose();
  }
}
