import { expect, test } from 'vitest';
import { readGuideSettings } from './guide-settings.ts';

test('the settings of the guide for a team are read from its own page', () => {
  const { sections, files } = readGuideSettings();
  expect(sections).toMatchObject({ policy: { set: 'team', files: ['team.cedar'] } });
  expect(sections).not.toHaveProperty('mcpServers');
  expect(files['team.cedar']).toContain('forbid(principal');
});
