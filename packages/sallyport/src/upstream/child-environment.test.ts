import { expect, it } from 'vitest';
import { toChildEnvironment } from './child-environment.ts';

it('passes on what programs need and nothing else, then what the settings say', () => {
  const ours = {
    PATH: '/bin',
    HOME: '/root',
    LC_ALL: 'C',
    XDG_CONFIG_HOME: '/x',
    https_proxy: 'http://proxy',
    SALLYPORT_KEY: 'secret',
    AWS_SECRET_ACCESS_KEY: 'secret',
    NODE_OPTIONS: '--inspect',
    LANG: '() { :; }; echo shellshock',
    TERM: undefined,
    path: '/lower',
  };
  expect(toChildEnvironment(ours, { API_KEY: 'own', PATH: '/own' }, 'linux')).toEqual({
    PATH: '/own',
    HOME: '/root',
    LC_ALL: 'C',
    XDG_CONFIG_HOME: '/x',
    https_proxy: 'http://proxy',
    API_KEY: 'own',
  });
});

it('knows the names of Windows in any case', () => {
  const ours = { Path: 'C:\\Windows', SystemRoot: 'C:\\Windows', HOME: 'x', SECRET: 'x' };
  expect(toChildEnvironment(ours, {}, 'win32')).toEqual({ Path: 'C:\\Windows', SystemRoot: 'C:\\Windows' });
});
