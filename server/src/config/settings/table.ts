import { type Static, Type } from 'typebox';
import { chain, fees, programs, rpc, submit } from './chain.js';
import { events, express, scores, studio, uploads } from './products.js';
import { client, data, http, limits, mode } from './service.js';
import { prices, services, swap, tokens, triggerOrders } from './swaps.js';

/** Every setting, in the order of the page. A new group is named here and in one or both of the lists below. */
export const groups = [
  mode,
  http,
  limits,
  data,
  chain,
  rpc,
  fees,
  tokens,
  prices,
  triggerOrders,
  swap,
  services,
  programs,
  express,
  studio,
  uploads,
  scores,
  events,
  submit,
  client,
] as const;

/** The environment variables that the service or its command line reads. */
export const Variables = Type.Object({
  ...mode.variables,
  ...http.variables,
  ...data.variables,
  ...chain.variables,
  ...prices.variables,
  ...services.variables,
  ...uploads.variables,
  ...scores.variables,
  ...client.variables,
});

/** What `slipway.config.json` may hold. */
export const SettingsFile = Type.Object(
  {
    $schema: Type.Optional(Type.String({ description: 'Where the schema of this file is, for editors.' })),
    ...limits.fields,
    ...rpc.fields,
    ...fees.fields,
    ...tokens.fields,
    ...prices.fields,
    ...triggerOrders.fields,
    ...swap.fields,
    ...programs.fields,
    ...express.fields,
    ...studio.fields,
    ...uploads.fields,
    ...scores.fields,
    ...events.fields,
    ...submit.fields,
  },
  { additionalProperties: false },
);

/** The settings that were given and the defaults of the others: variables by name, the settings file by field. */
export type Values = Static<typeof Variables> & Static<typeof SettingsFile> & { readonly sandbox: boolean };

/** Name of a variable, or path of a field. */
export type SettingName = keyof Static<typeof Variables> | `${keyof Static<typeof SettingsFile>}.${string}`;
