import { type CommandLine, type Measurement, parseCommandLine, USAGE } from './command-line.js';
import { compareRuns } from './compare.js';
import { measureCraft } from './craft.js';
import { measureEventCost } from './event-cost.js';
import { measureEvents } from './events.js';
import { measureExecute } from './execute.js';
import { measureGrowth } from './growth.js';
import { growthChart } from './growth-chart.js';
import { crafting, measureMemory, quoting, type Work } from './memory.js';
import { measureOrders } from './order.js';
import {
  printEvents,
  printGoals,
  printGrowth,
  printLoad,
  printMemoryHead,
  printMemoryPoint,
  printParts,
  printQuotes,
  printSigner,
  printStart,
  printTriggers,
} from './print.js';
import { createRig, type Rig } from './processes.js';
import { measureQuotes } from './quotes.js';
import { INVITES, measureReads, READS } from './reads.js';
import { keepChart, keepRun, readRun, thisMachine } from './runs.js';
import { measureSigner } from './signer.js';
import { measureStart } from './start.js';
import { measureStudio, timeParts } from './studio.js';
import {
  type Summary,
  summarizeCraft,
  summarizeEvents,
  summarizeExecute,
  summarizeGrowth,
  summarizeMemory,
  summarizeOrders,
  summarizeQuotes,
  summarizeReads,
  summarizeSigner,
  summarizeStart,
  summarizeStudio,
  summarizeTriggers,
} from './summary.js';
import { goalTable } from './table.js';
import { measureBook, measureFills } from './triggers.js';

const STARTS = 5;

const measure: Record<Measurement, (rig: Rig, options: CommandLine) => Promise<Summary<unknown>>> = {
  async craft(rig, options) {
    const summary = summarizeCraft(await measureCraft(rig, options));
    if (!options.json) printLoad('Craft a payment, 32 connections', summary.figures);
    return summary;
  },
  async execute(rig, options) {
    const summary = summarizeExecute(await measureExecute(rig, options));
    if (!options.json) printLoad('Execute a payment, 64 connections', summary.figures);
    return summary;
  },
  async start(rig, { json }) {
    const summary = summarizeStart(await measureStart(rig, STARTS));
    if (!json) printStart('Start to the first crafted transaction', summary.figures);
    return summary;
  },
  async order(rig, options) {
    const summary = summarizeOrders(await measureOrders(rig, options));
    if (!options.json) printLoad('Orders, 8 connections', summary.figures);
    return summary;
  },
  async studio(rig, options) {
    const summary = summarizeStudio(await measureStudio(rig, options), timeParts());
    if (!options.json) {
      printLoad('Craft a launch, 8 connections', summary.figures.load);
      printParts('Parts of one craft', summary.figures.parts);
    }
    return summary;
  },
  async reads(rig, options) {
    const summary = summarizeReads(await measureReads(rig, options));
    if (!options.json) {
      for (const name of READS) {
        const what = name === 'score' ? 'score of an event' : `invites: ${name}, of ${INVITES} of one wallet`;
        printLoad(`Read the ${what}, 4 connections`, summary.figures[name]);
      }
    }
    return summary;
  },
  async triggers(rig, { crafts, rounds, json }) {
    const book = await measureBook(rig, crafts);
    const summary = summarizeTriggers(book, await measureFills(rig, rounds));
    if (!json) printTriggers(summary.figures);
    return summary;
  },
  async signer(rig, options) {
    const summary = summarizeSigner(await measureSigner(rig, options));
    if (!options.json) printSigner(summary.figures);
    return summary;
  },
  async events(rig, options) {
    const summary = summarizeEvents(await measureEvents(rig, options), await measureEventCost(rig, options));
    if (!options.json) printEvents(summary.figures);
    return summary;
  },
  async quotes(_, { rounds, json }) {
    const summary = summarizeQuotes(measureQuotes(rounds));
    if (!json) printQuotes('Quotes in one process', summary.figures);
    return summary;
  },
  async growth(rig, options) {
    const onGrowth = options.json ? undefined : printGrowth;
    const growths = await measureGrowth(rig, { ...options, ...(onGrowth && { onGrowth }) });
    if (options.keep !== undefined) keepChart(`${options.keep}-growth`, growthChart(growths));
    return summarizeGrowth(growths);
  },
  memory: (rig, options) => memoryOf(rig, options, crafting),
  'order-memory': (rig, options) => memoryOf(rig, options, quoting),
};

async function memoryOf(rig: Rig, { json, crafts }: CommandLine, work: Work): Promise<Summary<unknown>> {
  if (!json) printMemoryHead();
  return summarizeMemory(await measureMemory(rig, { crafts, work, onPoint: json ? () => {} : printMemoryPoint }));
}

async function main(options: CommandLine): Promise<void> {
  const machine = thisMachine();
  if (!options.json) {
    console.log(`Node ${machine.node}, ${machine.cpu}, load before ${machine.loadBefore.toFixed(1)}`);
    console.log('Medians of the rounds (least..most). The load generator and the databases share the processors.');
  }
  const summaries: Partial<Record<Measurement, Summary<unknown>>> = {};
  for (const name of options.measurements) summaries[name] = await inRig((rig) => measure[name](rig, options));
  if (options.keep !== undefined) keepRun(options.keep, { machine, ...summaries });
  if (options.json) console.log(JSON.stringify({ machine, ...summaries }, undefined, 2));
  else printGoals(Object.values(summaries).flatMap(({ goals }) => goals));
}

/** Whatever happens, a signal included, ends the processes and removes the folders. */
async function inRig<T>(work: (rig: Rig) => Promise<T>): Promise<T> {
  const rig = createRig();
  const interrupted = (signal: NodeJS.Signals) => {
    void rig.close().finally(() => process.exit(signal === 'SIGINT' ? 130 : 143));
  };
  process.on('SIGINT', interrupted).on('SIGTERM', interrupted);
  try {
    return await work(rig);
  } finally {
    process.off('SIGINT', interrupted).off('SIGTERM', interrupted);
    await rig.close();
  }
}

try {
  const [command, ...names] = process.argv.slice(2);
  if (command === 'compare') {
    for (const line of compareRuns(names)) console.log(line);
  } else if (command === 'table') {
    if (names.length === 0) throw new Error('table takes the names of kept runs');
    for (const line of goalTable(names.map(readRun))) console.log(line);
  } else {
    const options = parseCommandLine(process.argv.slice(2));
    if (options) await main(options);
    else console.log(USAGE);
  }
} catch (error) {
  console.error(`bench: ${(error as Error).message}`);
  process.exitCode = 1;
}
