import { headerLines } from './header-text.js';
import { patterns } from './html/bucket-color.js';
import { breakdownSection } from './html/breakdown-section.js';
import { byNamedStepSection } from './html/by-named-step-section.js';
import { byStepSection } from './html/by-step-section.js';
import { flameScript, flameSection } from './html/flame-section.js';
import { Markup, markup } from './html/markup.js';
import { overTimeSection } from './html/over-time-section.js';
import {
  alarmSection,
  headlineSection,
  hotSection,
  recordedSection,
  reliabilitySection,
  remedySection,
} from './html/sections.js';
import { tablesSection } from './html/tables-section.js';
import { timelineSection } from './html/timeline-section.js';
import type { Report } from './report.js';
import { seenWeight } from './seen-weight.js';

/** Style and program of the page with their SHA-256 in base64: nothing else may act in it. */
export interface PageAssets {
  readonly style: string;
  readonly styleHash: string;
  readonly script: string;
  readonly scriptHash: string;
}

/** Every part of the page in its order; one without data says nothing. */
const SECTIONS = [
  headlineSection,
  alarmSection,
  breakdownSection,
  remedySection,
  overTimeSection,
  byStepSection,
  byNamedStepSection,
  timelineSection,
  flameSection,
  hotSection,
  tablesSection,
  reliabilitySection,
  recordedSection,
] as const;

/** One self-contained page: it asks no server for anything, and nothing in it may. */
export function reportHtml(report: Report, assets: PageAssets): string {
  const { breakdown } = report;
  const title =
    breakdown.run?.title ?? (breakdown.source.path === '-' ? 'standard input' : breakdown.source.path);
  const weight = seenWeight(breakdown.threads);
  const seen = { weight, unit: breakdown.unit, threads: breakdown.threads.length };
  const facts = headerLines(breakdown, seen, Number.POSITIVE_INFINITY);
  const policy = `default-src 'none'; style-src 'sha256-${assets.styleHash}'; script-src 'sha256-${assets.scriptHash}'; base-uri 'none'; form-action 'none'`;
  const page = markup`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content="${new Markup(policy)}" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="referrer" content="no-referrer" />
        <title>${title} · profile</title>
        <style>${new Markup(assets.style)}</style>
      </head>
      <body>
        ${patterns()}
        <header>
          <h1>${title}</h1>
          ${facts.map((line) => markup`<p class="facts">${line.trim()}</p>`)}
        </header>
        <main>${SECTIONS.map((part) => part(report))}</main>
        <footer><p class="facts">sim-profiler ${report.version}</p></footer>
        ${flameScript(report)}
        <script>${new Markup(assets.script)}</script>
      </body>
    </html>
`;
  return page.text;
}
