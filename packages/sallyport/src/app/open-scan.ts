import { DEFAULT_SCAN } from '../config/scan-section.ts';
import type { Snapshot } from '../config/settings.ts';
import type { ScanPorts } from '../guard/scan-result.ts';

/** How results and other texts of servers are read, by the snapshot in force. */
export function openScan(snapshot: () => Snapshot): ScanPorts {
  return {
    settings: () => snapshot().scan ?? DEFAULT_SCAN,
    hostOf(upstream) {
      const transport = snapshot().servers.get(upstream)?.transport;
      if (transport === undefined || transport.type === 'stdio' || !URL.canParse(transport.url)) return undefined;
      return new URL(transport.url).hostname.toLowerCase();
    },
  };
}
