import { startPostgres } from '../../server/dist/store/testing.js';
import { type Rig, startProgram } from './processes.js';
import { type Service, startService } from './service.js';

/** What is measured turn by turn: the yardstick, and the service on each kind of database. */
export const TARGETS = ['bare', 'pglite', 'postgres'] as const;
export type TargetName = (typeof TARGETS)[number];

export interface Targets {
  /** Each with an embedded chain. */
  services: { pglite: Service; postgres: Service };
  /** A bare route that always gives this answer; its base URL. */
  startBare(method: 'GET' | 'POST', path: string, answer: object): Promise<string>;
}

export async function openTargets(rig: Rig): Promise<Targets> {
  const pglite = await startService(rig, rig.folder());
  const postgres = await startService(rig, rig.folder(), { DATABASE_URL: await startDatabase(rig) });
  return {
    services: { pglite, postgres },
    startBare: (method, path, answer) => startBare(rig, method, path, answer),
  };
}

/** A bare route that always gives this answer; its base URL. */
export async function startBare(rig: Rig, method: 'GET' | 'POST', path: string, answer: object): Promise<string> {
  const { output } = await startProgram(rig, {
    file: 'bench/dist/bare.js',
    args: [method, path.split('?')[0]!, JSON.stringify(answer)],
    ready: /listening on .*\n/,
  });
  return /http\S+/.exec(output)![0];
}

/** A PostgreSQL server for this run alone; the URL of an empty database. It does not wait for the disk (fsync off). */
export async function startDatabase(rig: Rig): Promise<string> {
  const server = await startPostgres();
  rig.add(() => server.stop());
  return server.createDatabase();
}
