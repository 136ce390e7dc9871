import { adminArea } from '../areas/admin/index.js';
import type { Area } from '../areas/area.js';
import { eventsArea } from '../areas/events/index.js';
import { expressArea } from '../areas/express/index.js';
import { objectsArea } from '../areas/objects/index.js';
import { predictionArea } from '../areas/prediction/index.js';
import { sandboxArea } from '../areas/sandbox/index.js';
import { sendArea } from '../areas/send/index.js';
import { studioArea } from '../areas/studio/index.js';
import { submitArea } from '../areas/submit/index.js';
import { swapArea } from '../areas/swap/index.js';
import { tokensArea } from '../areas/tokens/index.js';
import { transfersArea } from '../areas/transfers/index.js';
import { triggerV1Area } from '../areas/trigger-v1/index.js';
import { triggerV2Area } from '../areas/trigger-v2/index.js';

/** Every area of the API, in the order of the API document. */
export const areas: readonly Area[] = [
  swapArea,
  tokensArea,
  transfersArea,
  triggerV1Area,
  triggerV2Area,
  studioArea,
  sendArea,
  submitArea,
  expressArea,
  predictionArea,
  eventsArea,
  sandboxArea,
  adminArea,
  objectsArea,
];
