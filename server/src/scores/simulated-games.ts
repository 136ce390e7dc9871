/** What a game shows from `atMs` after its start on, in the words of the provider that it imitates. */
interface GameState {
  atMs: number;
  score: string;
  period: string;
  elapsed: string | null;
  status: string;
}

/** All that happens in a game, in order; the last state is its end. */
export type Timeline = readonly GameState[];

/** Plays a game: the same seed gives the same game. */
export type Sport = (seed: string) => Timeline;

/** A random share below 1, a new one at each call. */
type Chance = () => number;

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** Two halves of 45 minutes with a break of 15. */
export const soccer: Sport = (seed) => {
  const chance = chanceOf(seed);
  const goals: [number, number] = [0, 0];
  const timeline: GameState[] = [];
  const show = (minute: number, pauseMs: number, period: string, status: string) =>
    timeline.push({ atMs: minute * MINUTE + pauseMs, score: goals.join('-'), period, elapsed: `${minute}`, status });
  for (let minute = 0; minute <= 90; minute++) {
    if (minute > 0 && chance() < 1 / 40) goals[0] += 1;
    if (minute > 0 && chance() < 1 / 45) goals[1] += 1;
    if (minute < 45) show(minute, 0, '1H', 'InProgress');
    else if (minute === 45) show(minute, 0, 'HT', 'Break');
    else if (minute < 90) show(minute, 15 * MINUTE, '2H', 'InProgress');
    else show(minute, 15 * MINUTE, 'FT', 'Final');
    if (minute === 45) show(minute, 15 * MINUTE, '2H', 'InProgress');
  }
  return timeline;
};

/** Four quarters of 12 minutes, three breaks of 3. */
export const basketball: Sport = (seed) => {
  const chance = chanceOf(seed);
  const points: [number, number] = [0, 0];
  const timeline: GameState[] = [];
  const show = (atMs: number, period: string, elapsed: string, status: string) =>
    timeline.push({ atMs, score: points.join('-'), period, elapsed, status });
  for (let quarter = 0; quarter < 4; quarter++) {
    const start = quarter * 15 * MINUTE;
    show(start, `${quarter + 1}Q`, '00:00', 'InProgress');
    for (let seconds = 30; seconds <= 720; seconds += 30) {
      const side = chance() < 0.5 ? 0 : 1;
      points[side] += Math.floor(chance() * 4);
      // Overtime is not simulated: the last throw decides.
      if (quarter === 3 && seconds === 720 && points[0] === points[1]) points[side] += 1;
      const elapsed = `${pad(Math.floor(seconds / 60), 2)}:${pad(seconds % 60, 2)}`;
      const isOver = seconds === 720;
      const period = isOver && quarter === 3 ? 'FT' : isOver && quarter === 1 ? 'HT' : `${quarter + 1}Q`;
      show(start + seconds * SECOND, period, elapsed, period === 'FT' ? 'Final' : 'InProgress');
    }
  }
  return timeline;
};

/** Best of three sets, a game every 3 minutes; a set at 6 games with two more than the other, or at 7. */
export const tennis: Sport = (seed) => {
  const chance = chanceOf(seed);
  const sets: [number, number][] = [[0, 0]];
  const won = [0, 0];
  const timeline: GameState[] = [];
  for (let atMs = 0; ; atMs += 3 * MINUTE) {
    const isOver = won.includes(2);
    const score = sets.map((games) => games.join('-')).join(', ');
    const [period, status] = isOver ? ['FT', 'finished'] : [`S${sets.length}`, 'inprogress'];
    timeline.push({ atMs, score, period, elapsed: null, status });
    if (isOver) return timeline;
    const games = sets.at(-1)!;
    const side = chance() < 0.55 ? 0 : 1;
    games[side] += 1;
    if (games[side] < 6 || (games[side] === 6 && games[1 - side]! > 4)) continue;
    won[side]! += 1;
    if (won[side]! < 2) sets.push([0, 0]);
  }
};

/** Best of three maps, a round every 90 seconds; 13 rounds win a map. */
export const counterStrike: Sport = (seed) => {
  const chance = chanceOf(seed);
  const maps: [number, number] = [0, 0];
  let rounds: [number, number] = [0, 0];
  const timeline: GameState[] = [];
  for (let atMs = 0; ; atMs += 90 * SECOND) {
    const isOver = maps.includes(2);
    const played = maps[0] + maps[1];
    const score = `${rounds.map((count) => pad(count, 3)).join('-')}|${maps.join('-')}|Bo3`;
    const period = `${isOver ? played : played + 1}/3`;
    timeline.push({ atMs, score, period, elapsed: null, status: isOver ? 'finished' : 'running' });
    if (isOver) return timeline;
    const side = chance() < 0.5 ? 0 : 1;
    rounds[side] += 1;
    if (rounds[side] < 13) continue;
    maps[side] += 1;
    rounds = [0, 0];
  }
};

function pad(count: number, digits: number): string {
  return String(count).padStart(digits, '0');
}

/** FNV-1a turns the seed into a number, and mulberry32 that number into a sequence; both are in the public domain. */
function chanceOf(seed: string): Chance {
  let state = 0x811c9dc5;
  for (const character of seed) state = Math.imul(state ^ character.codePointAt(0)!, 0x01000193);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
