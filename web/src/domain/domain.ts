import type { Answer } from '../live/api.ts';

export type Domain = Answer<'domain.byApplicationId'>[number];
