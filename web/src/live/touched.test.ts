import { describe, expect, it } from 'vitest';
import { touchedBy } from './touched.ts';

describe('touchedBy', () => {
  it('has the previews read again with each deployment, which tells their state', () => {
    expect(touchedBy('deployment', 'deployment')).toContain('previewDeployment');
    expect(touchedBy('application', 'condition')).toContain('previewDeployment');
  });

  it('has what is changed read again, and the services that show it', () => {
    expect(touchedBy('domain', 'created')).toEqual(expect.arrayContaining(['domain', 'application']));
    expect(touchedBy('backup', 'updated')).toEqual(expect.arrayContaining(['backup', 'volumeBackup']));
    expect(touchedBy('project', 'updated')).toEqual(['project', 'service', 'project', 'environment']);
  });
});
