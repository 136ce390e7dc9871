// Writes down trades that other companies' programs execute, so that tests without those programs can repeat the
// arithmetic: node scripts/record-venues.mjs [name of a venue ...]. SLIPWAY_PROGRAMS_DIR has the <programId>.so files.
import { hash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './prepare.mjs';

const EXECUTED = 20;
/** Of those that are executed, one in so many more. */
const REFUSED_PART = 5;
const SEED = 20_261_121;

const load = (file) => import(join(root, 'server/dist/routing/aggregator/venues/testing', file));
const { Lab, HEAVY_UNITS, otherProgram, missingPrograms } = await load('lab.js');
const { recordedFile, recordedTrade } = await load('recorded.js');
const { randomTrials } = await load('trials.js');
const { TESTED_VENUES } = await load('venues.js');
const { randomNumbers } = await import(join(root, 'programs/dist/test-vm.js'));

const names = process.argv.slice(2);
for (const tested of TESTED_VENUES.filter(({ name }) => names.length === 0 || names.includes(name))) {
  const { program } = tested.venue;
  const missing = missingPrograms(program);
  if (missing) throw new Error(missing);
  const trades = record(tested);
  const digest = hash('sha256', otherProgram(program), 'hex');
  const source = `${program}.so (sha256 ${digest}) in a virtual machine, over pools of testing/${tested.name}.ts`;
  mkdirSync(new URL('.', recordedFile(tested.name)), { recursive: true });
  writeFileSync(recordedFile(tested.name), `${JSON.stringify({ program, source, trades }, undefined, 1)}\n`);
  console.log(`${tested.name}: ${trades.length} trades`);
}

/** So many that were executed, and some that were not, each of another pool where that is possible. */
function record(tested) {
  const lab = new Lab(tested.venue.program);
  const most = tested.recorded ?? EXECUTED;
  const trials = randomTrials(tested, { lab, random: randomNumbers(SEED), pools: 10 * most });
  const executed = [];
  const refused = [];
  for (const trial of trials) {
    if (trial.refused !== undefined || trial.outcome.computeUnits > HEAVY_UNITS) continue;
    const [list, room] = trial.done?.received > 0n ? [executed, most] : [refused, most / REFUSED_PART];
    if (list.length < room && list.at(-1)?.pool !== trial.pool.address) list.push(recordedTrade(trial));
  }
  return [...executed, ...refused];
}
