/** A catalogue of templates, as Berth answers it. */
export const recordedCatalogueAt = (at: (minutesAgo: number) => string) => ({
  templateCatalogueId: 'ours',
  organizationId: 'acme',
  name: 'Ours',
  url: 'https://git.example.com/acme/templates.git',
  branch: '',
  folder: '',
  username: null,
  commit: '4f1c2a9e0b7d3c5a6e8f9b0a1d2c3e4f5a6b7c8d',
  readAt: at(90),
  templateCount: 1,
  leftOut: [{ name: 'sandbox', reason: 'build: a template has to name an image.' }],
  lastError: null,
  createdAt: at(4000),
});
