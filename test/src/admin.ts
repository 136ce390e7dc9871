import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Answer, request, type Service } from './service.js';

/** An API key as the admin API answers it; `key`, its text, only when it is made. */
export interface ApiKey {
  id: string;
  name: string;
  prefix: string;
  tier: string;
  prefixes: string[];
  createdAt: string;
  expiresAt: string | null;
  revokedAt: string | null;
  rotatedFrom: string | null;
  key: string;
}

export function adminTokenOf(service: Service): string {
  return readFileSync(join(service.dataDir, 'admin.token'), 'utf8').trim();
}

/** One request to the admin API with the service's own token; `path` follows `/admin/v1`. */
export function admin<T = Record<string, unknown>>(
  service: Service,
  method: string,
  path: string,
  body?: unknown,
): Promise<Answer<T>> {
  const headers = { authorization: `Bearer ${adminTokenOf(service)}`, 'x-api-key': undefined };
  return request<T>(`${service.url}/admin/v1${path}`, { method, headers, ...(body !== undefined && { body }) });
}

export async function newKey(service: Service, grants: Record<string, unknown> = {}): Promise<ApiKey> {
  const { status, body } = await admin<ApiKey>(service, 'POST', '/keys', { name: 'test', ...grants });
  if (status !== 200) throw new Error(`making a key answered ${status}: ${JSON.stringify(body)}`);
  return body;
}
