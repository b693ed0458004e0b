/** What a program needs to find itself at home; everything else of Sallyport's environment may be a secret of Sallyport. */
const PASSED_ON = new Set([
  'PATH',
  'HOME',
  'USER',
  'LOGNAME',
  'SHELL',
  'TERM',
  'LANG',
  'LANGUAGE',
  'TZ',
  'TMPDIR',
  'NODE_EXTRA_CA_CERTS',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'ALL_PROXY',
  'NO_PROXY',
  'http_proxy',
  'https_proxy',
  'all_proxy',
  'no_proxy',
]);

const PASSED_ON_WINDOWS = new Set([
  'ALLUSERSPROFILE',
  'APPDATA',
  'COMSPEC',
  'HOMEDRIVE',
  'HOMEPATH',
  'LOCALAPPDATA',
  'NUMBER_OF_PROCESSORS',
  'OS',
  'PATH',
  'PATHEXT',
  'PROCESSOR_ARCHITECTURE',
  'PROGRAMDATA',
  'PROGRAMFILES',
  'PROGRAMFILES(X86)',
  'SYSTEMDRIVE',
  'SYSTEMROOT',
  'TEMP',
  'TMP',
  'USERNAME',
  'USERPROFILE',
  'WINDIR',
  'NODE_EXTRA_CA_CERTS',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'ALL_PROXY',
  'NO_PROXY',
]);

type Environment = Readonly<Record<string, string | undefined>>;

/** The environment of a child: an allow list of Sallyport's own, then what the settings say. */
export function toChildEnvironment(
  ours: Environment,
  own: Readonly<Record<string, string>>,
  platform: NodeJS.Platform = process.platform,
): Record<string, string> {
  const environment: Record<string, string> = {};
  for (const [name, value] of Object.entries(ours)) {
    // A value that starts with "()" is a function some shells would run (CVE-2014-6271).
    if (value !== undefined && isPassedOn(name, platform) && !value.startsWith('()')) environment[name] = value;
  }
  return { ...environment, ...own };
}

function isPassedOn(name: string, platform: NodeJS.Platform): boolean {
  if (platform === 'win32') return PASSED_ON_WINDOWS.has(name.toUpperCase());
  return PASSED_ON.has(name) || name.startsWith('LC_') || name.startsWith('XDG_');
}
