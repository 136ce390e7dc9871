import { type CliContext, CommandError } from './context.js';
import { adminToken, adminUrl, bodyOf, configOf, requestJson, requireOurs, Unreachable } from './service.js';

/** The admin API, wherever it runs. */
export interface AdminClient {
  /** `path` follows `/admin/v1`. Throws CommandError with the service's own words when it refuses. */
  request<T>(method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<T>;
}

/**
 * Runs `work` with the admin API of the running service. If no service answers at the configured address, and no other
 * process holds the data folder, the same API runs inside this command for as long as `work` takes.
 */
export async function withAdmin<T>(
  context: CliContext,
  url: string | undefined,
  work: (admin: AdminClient) => Promise<T>,
): Promise<T> {
  const base = adminUrl(context, url);
  if (url !== undefined || context.env.SLIPWAY_URL || (await answers(base))) {
    return work(await adminAt(context, base));
  }
  // Loaded lazily: a command that finds the service does not need the service's dependencies.
  const { openAdminInProcess } = await import('./admin-in-process.js');
  const inProcess = await openAdminInProcess(configOf(context), base);
  try {
    return await work(inProcess);
  } finally {
    await inProcess.close();
  }
}

/** The admin API of the service that runs at `base`. */
export async function adminAt(context: CliContext, base: string): Promise<AdminClient> {
  const headers = { authorization: `Bearer ${await adminToken(context, base)}` };
  return {
    request: async (method, path, body, signal) => {
      // A moment before each: the service may have ended in the meantime.
      requireOurs(context, base);
      const given = { method, body, headers, ...(signal && { signal }) };
      const answer = await requestJson(`${base}/admin/v1${path}`, given);
      if (answer.status === 404 && isNoRoute(answer.body)) throw new NoAdminApi(`${base} ${NO_ADMIN}`);
      return bodyOf(answer);
    },
  };
}

/** The service is there, and has no admin API. */
export class NoAdminApi extends CommandError {}

const NO_ADMIN =
  'has no admin API. It is on the operations port of the service: set SLIPWAY_URL to where that is, or leave it out on the machine of the service';

/** Whether nothing stands at the path, as opposed to a thing that is not there. */
function isNoRoute(body: unknown): boolean {
  return String((body as { message?: unknown } | null)?.message).startsWith('Cannot ');
}

async function answers(base: string): Promise<boolean> {
  try {
    await requestJson(`${base}/livez`);
    return true;
  } catch (error) {
    if (error instanceof Unreachable) return false;
    throw error;
  }
}
