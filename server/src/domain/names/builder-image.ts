/** The image that an organization's builder runs (images/recipes/builder), made by set-up on each machine. */
export const builderImage = 'berth/builder:1';

/** Label of a builder's container and volume with the organization whose builds it runs. */
export const builderLabel = 'berth.builder';
