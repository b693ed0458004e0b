// Made of the OpenAPI document by `node scripts/api-types.mjs`: change the routes, not this file.

/** What every operation of the API takes and gives. */
export type Operations = {
  /** The servers of the configuration, with their state */
  listServers: {
    input: {
      query?: {
        limit?: number;
        cursor?: string;
      };
    };
    result: {
      items: Server[];
      next?: string;
    };
  };
  /** One server */
  showServer: {
    input: {
      path: {
        name: string;
      };
    };
    result: Server;
  };
  /** Ends the connections of a server and its child; the next call starts it again, whatever it did before */
  restartServer: {
    input: {
      path: {
        name: string;
      };
    };
    result: Server;
  };
  /** Records that somebody signs in to a server, or out of it */
  noteSignIn: {
    input: {
      path: {
        name: string;
      };
      body: {
        event: 'begun' | 'done' | 'failed' | 'ended';
        /** Whose tokens: shared, local, or the id of a caller. */
        owner: string;
      };
    };
    result: {
      recorded: true;
    };
  };
  /** The tools of all servers, by name */
  listTools: {
    input: {
      query?: {
        limit?: number;
        cursor?: string;
        contains?: string;
      };
    };
    result: {
      /** Items: The definition as clients see it. */
      items: {
        /** As clients of the shared endpoint call it. */
        name: string;
        [k: string]: unknown;
      }[];
      next?: string;
    };
  };
  /** What was left out of the lists, and why */
  listProblems: {
    input: Record<never, never>;
    result: {
      items: {
        upstream: string;
        item: string;
        problem: string;
      }[];
      next?: string;
    };
  };
  /** The API keys: who they are for, whether they work, when they were used last */
  listKeys: {
    input: {
      query?: {
        limit?: number;
        cursor?: string;
        state?: 'active' | 'expired' | 'revoked';
        group?: string;
      };
    };
    result: {
      items: Key[];
      next?: string;
    };
  };
  /** Makes an API key; `key` is shown this once */
  createKey: {
    input: {
      body: {
        /** What it is for; stands on every record of its calls. */
        name: string;
        person?: string;
        account?: string;
        /** @maxItems 256 */
        groups?: string[];
        /**
         * Left out: not limited by scopes. Empty: nothing.
         *
         * @maxItems 256
         */
        scopes?: string[];
        attributes?: KeyAttributes;
        /** RFC 3339; null: never. Left out: 90 days from now. */
        expiresAt?: string | null;
      };
    };
    result: {
      id: string;
      name: string;
      state: 'active' | 'expired' | 'revoked';
      /** The human being who uses it. */
      person: string | null;
      /** The system account that uses it. */
      account: string | null;
      groups: string[];
      /** null: not limited by scopes. */
      scopes: string[] | null;
      attributes: KeyAttributes;
      createdAt: string;
      expiresAt: string | null;
      revokedAt: string | null;
      /** To the minute. */
      lastUsedAt: string | null;
      /** The secret. Only its digest is kept. */
      key: string;
    };
  };
  /** One API key, by its id or its name */
  showKey: {
    input: {
      path: {
        key: string;
      };
    };
    result: Key;
  };
  /** Ends an API key for good; a running Sallyport refuses it within a second */
  revokeKey: {
    input: {
      path: {
        key: string;
      };
    };
    result: Key;
  };
  /** The definitions servers offered, and which of them are approved */
  listPins: {
    input: {
      query?: {
        limit?: number;
        cursor?: string;
        server?: string;
        item?: string;
        state?: 'approved' | 'new' | 'changed' | 'rejected' | 'unlisted' | 'held' | 'pending';
      };
    };
    result: {
      mode: 'laptop' | 'team' | 'locked' | 'off';
      items: {
        server: string;
        /** tools/search, prompts/…, resources/…, resourceTemplates/…, instructions or serverInfo. */
        item: string;
        state: 'approved' | 'new' | 'changed' | 'rejected' | 'unlisted';
        /** Of what is offered. */
        digest: string | null;
        /** Digest of what was approved. */
        approved: string | null;
        /** The person, or the id of the principal where none is known. */
        approvedBy: string | null;
        /** Id of the principal. */
        approvedById: string | null;
        approvedAt: string | null;
        seenAt: string | null;
        renamedFrom: string | null;
        /** What reading what is offered found; null: it was not read. */
        found: {
          /** Findings of the block tier. */
          block: number;
          /** Findings of the review tier. */
          review: number;
          /** How suspicious the whole is, 0 to 1. */
          score: number;
        } | null;
      }[];
      next?: string;
    };
  };
  /** What changed since definitions were approved, field by field, with what to look at first */
  listPinDifferences: {
    input: {
      query?: {
        limit?: number;
        cursor?: string;
        server?: string;
        item?: string;
      };
    };
    result: {
      /** Stands for exactly these definitions, of all pages. */
      digest: string;
      items: {
        server: string;
        item: string;
        /** Of what is offered: name it to approve or reject exactly this. */
        digest: string;
        state: 'approved' | 'new' | 'changed' | 'rejected' | 'unlisted';
        /** minor: it only speaks of hints, or only takes away. */
        weight: 'minor' | 'major';
        renamedFrom: string | null;
        /** What to look at first. */
        risks: string[];
        /** What reading it found; on a change, in what is new. */
        findings: Finding[];
        /** Tools of others that it competes with. */
        related: {
          server: string;
          /** Of the tool, at its server. */
          name: string;
          why: string;
          /** The two side by side. Empty where the other is not approved any more. */
          fields: {
            field: 'name' | 'title' | 'description' | 'parameters';
            /** Of the one that is looked at. */
            offered: string;
            /** Of the other. */
            approved: string;
          }[];
        }[];
        changes: {
          /** JSON Pointer (RFC 6901). */
          path: string;
          change: 'added' | 'removed' | 'changed';
          /** Any JSON. */
          before?: {
            [k: string]: unknown;
          };
          /** Any JSON. */
          after?: {
            [k: string]: unknown;
          };
        }[];
      }[];
      next?: string;
    };
  };
  /** Approves definitions by their digests; what is another one by now is not approved */
  approvePins: {
    input: {
      body: PinDecision;
    };
    result: PinOutcome;
  };
  /** Refuses definitions by their digests, approved or not; they stay hidden until they are other ones */
  rejectPins: {
    input: {
      body: PinDecision;
    };
    result: PinOutcome;
  };
  /** Makes the lock file that mode locked and verifying go by, and writes it where pins.lockFile says */
  lockPins: {
    input: {
      body: {
        /** Lock what servers offer now instead of what was approved. */
        offered?: boolean;
        /** Lock also what reading holds and no person approved; otherwise it is left out. */
        withFindings?: boolean;
        /** false: only return the text. */
        write?: boolean;
      };
    };
    result: {
      /** Where it was written. */
      file: string | null;
      definitions: number;
      /** What stands in it. */
      text: string;
      warnings: string[];
      /** Servers of which nothing is approved. */
      bare: string[];
      /** server/item: left out for what reading it found. */
      left: string[];
    };
  };
  /** Asks the servers what they offer, and compares it with a lock file or with what was approved */
  verifyPins: {
    input: {
      body: {
        /** The text of a lock file. Left out: pins.lockFile in mode locked, else what was approved. */
        lock?: string;
      };
    };
    result: {
      matches: boolean;
      /** Offered now. */
      definitions: number;
      differences: {
        server: string;
        item: string;
        problem: 'changed' | 'new' | 'missing' | 'unreachable' | 'package';
      }[];
      warnings: string[];
    };
  };
  /** What was found in the definitions that servers offer: poisoned, hidden, written about tools of others */
  listFindings: {
    input: {
      query?: {
        limit?: number;
        cursor?: string;
        server?: string;
        item?: string;
        tier?: 'block' | 'review';
        rule?: string;
        state?: 'held' | 'approved';
      };
    };
    result: {
      items: {
        server: string;
        /** tools/search, prompts/…, resources/…, resourceTemplates/…, instructions or serverInfo. */
        item: string;
        state: 'approved' | 'new' | 'changed' | 'rejected' | 'unlisted';
        /** Of the definition it stands in. */
        digest: string;
        /** The rule that found it; docs/scan-definitions.md says what each is about. */
        id: string;
        /** block: held until a person approves it. review: to be read. */
        tier: 'block' | 'review';
        /** OWASP MCP Top 10 (2025). */
        owasp: string;
        /** JSON Pointer (RFC 6901) of the text; empty for a text alone. */
        where: string;
        /** In UTF-16 units of that text. */
        start: number;
        end: number;
        /** That part of the text, made harmless to show. */
        evidence: string;
        why: string;
        /** What you can do about it. */
        fix: string;
      }[];
      next?: string;
    };
  };
  /** The policies of the configuration: their sources with digests, and each of them */
  listPolicies: {
    input: Record<never, never>;
    result: {
      /** The starter set in force. */
      set: 'laptop' | 'team' | 'locked';
      /** off: no policy has to be evaluated. */
      mode: 'off' | 'enforce' | 'shadow';
      version: string | null;
      sources: {
        file: string;
        sha256: string;
        use: 'set' | 'file' | 'shadow';
        text: string;
      }[];
      policies: Policy[];
      /** Those that are only tried. */
      candidates: Policy[];
    };
  };
  /** Checks policies: syntax, names, types and rules that can never match */
  checkPolicies: {
    input: {
      body: {
        policies?: GivenPolicies;
      };
    };
    result: {
      /** Absent where there are problems. */
      version?: string;
      sources: string[];
      policies: Policy[];
      problems: {
        file: string;
        line: number;
        message: string;
      }[];
      /** All problems as one text. */
      message?: string;
    };
  };
  /** What policies would decide about a call, and which of them */
  testPolicies: {
    input: {
      body: {
        policies?: GivenPolicies;
        /** server/tool. One of tool, resource and prompt. */
        tool?: string;
        /** server/uri */
        resource?: string;
        /** server/prompt */
        prompt?: string;
        principal?: {
          id?: string;
          kind?: 'key' | 'oauth' | 'mtls' | 'os' | 'stdio' | 'open';
          person?: string;
          agent?: string;
          account?: string;
          actors?: string[];
          groups?: string[];
          scopes?: string[];
          attributes?: {
            [k: string]: string;
          };
        };
        arguments?: {
          [k: string]: unknown;
        };
        /** Approved hints of the tool. Left out: those of its approved definition. */
        hints?: {
          readOnly?: boolean;
          destructive?: boolean;
          idempotent?: boolean;
          openWorld?: boolean;
        };
        /** Effects of the tool. Left out: those of its approved definition. */
        sinks?: ('delete' | 'pay' | 'send_out' | 'run_code' | 'change_rights' | 'credentials' | 'write_public')[];
        /** The name of the client program. */
        client?: string;
        /** Marks on the data of the conversation. */
        labels?: string[];
        /** ISO time of the call; left out: now. */
        time?: string;
      };
    };
    result: {
      effect: 'allow' | 'ask' | 'deny';
      /** In the lists of this caller. */
      visible: boolean;
      reason: string;
      version: string;
      /** How many people an ask needs by the policies. */
      people?: number;
      policies: {
        id: string;
        file: string;
        line: number;
        effect: 'permit' | 'forbid';
      }[];
    };
  };
  /** Recorded calls with what the policies decided about each, the newest first */
  listDecisions: {
    input: {
      query?: {
        limit?: number;
        cursor?: string;
      };
    };
    result: {
      items: {
        callId: string;
        time: string;
        method: string;
        principal: string;
        server: string | null;
        target: string | null;
        outcome: string;
        /** Which guard stopped it or changed it. */
        guard: string | null;
        reason: string | null;
        /** False in shadow mode: the decision was noted and not carried out. */
        enforced: boolean;
        decision?: CallDecision;
        release?: ReleaseDecision;
        candidate?: CandidateDecision;
      }[];
      next?: string;
    };
  };
  /** Why a recorded call was let through or refused */
  explainDecision: {
    input: {
      path: {
        callId: string;
      };
    };
    result: {
      callId: string;
      time: string;
      method: string;
      principal: string;
      server: string | null;
      target: string | null;
      outcome: string;
      /** Which guard stopped it or changed it. */
      guard: string | null;
      reason: string | null;
      /** False in shadow mode: the decision was noted and not carried out. */
      enforced: boolean;
      decision?: CallDecision;
      release?: ReleaseDecision;
      candidate?: CandidateDecision;
      /** Those that decided, as they read now; absent ones were removed since. */
      policies: {
        id: string;
        file: string;
        line: number;
        effect: 'permit' | 'forbid';
        text: string;
        /** The policies in force are those that decided. */
        isCurrent: boolean;
      }[];
      /** In one sentence. */
      explanation: string;
    };
  };
  /** What policies would have decided about the recorded calls */
  shadowPolicies: {
    input: {
      body: {
        policies?: GivenPolicies;
        /** ISO time: calls from then on. */
        since?: string;
        /** ISO time: calls up to then. */
        until?: string;
        /** Most calls, the newest. */
        limit?: number;
      };
    };
    result: {
      /** Of the policies that were tried. */
      version: string;
      /** Recorded calls that were looked at. */
      calls: number;
      /** Calls with the same verdict. */
      same: number;
      /** Calls with another verdict. */
      changed: number;
      /** The newest of them, at most 1,000. */
      changes: {
        callId: string;
        time: string;
        principal: string;
        method: string;
        /** server/name */
        target: string;
        did: string;
        would: string;
        reason: string;
        policies: string[];
      }[];
      /** Calls that could not be decided, by cause. */
      unknown: {
        /** Their arguments would decide, and are recorded as a digest only. */
        arguments: number;
        /** The policies that read those arguments. */
        policies: string[];
        /** Another guard stopped them before the policies were asked. */
        earlier: number;
        /** The record does not say what was called. */
        target: number;
      };
      /** Calls decided although something a policy reads is not recorded. */
      assumed: {
        /** Decided by the effects of the definition, without those arguments tell of. */
        effects: number;
        /** A policy reads labels, which were taken to be none. */
        labels: boolean;
      };
    };
  };
  /** Plans of runs, those that have ended and are not forgotten included */
  listPlans: {
    input: {
      query?: {
        limit?: number;
        cursor?: string;
      };
    };
    result: {
      items: Plan[];
      next?: string;
    };
  };
  /** Fixes the plan of a run that has read nothing untrusted yet; no client changes it */
  registerPlan: {
    input: {
      body: {
        run: string;
        principal: string;
        agent?: string;
        endpoint?: string;
        /** {"steps": [{"tool": …, "arguments": …}]} */
        plan: Record<never, never>;
      };
    };
    result: RegisteredPlan;
  };
  /** One plan with its steps; they hold arguments */
  showPlan: {
    input: {
      path: {
        id: string;
      };
    };
    result: WholePlan;
  };
  /** Ends a run that has a plan: whatever it asks for from now on is refused */
  endPlan: {
    input: {
      path: {
        id: string;
      };
    };
    result: Plan;
  };
  /** Calls a person was asked about, the newest first; arguments for operators only */
  listApprovals: {
    input: {
      query?: {
        limit?: number;
        cursor?: string;
        state?: 'waiting' | 'allowed' | 'denied' | 'expired';
        principal?: string;
        upstream?: string;
        tool?: string;
      };
    };
    result: {
      items: Approval[];
      next?: string;
    };
  };
  /** First all that wait, then every question and every answer; arguments for operators only */
  followApprovals: {
    input: Record<never, never>;
  };
  /** One call a person was asked about: reasons, difference from the last allowed call; arguments for operators only */
  showApproval: {
    input: {
      path: {
        id: string;
      };
    };
    result: Approval;
  };
  /** Allows a call that waits: once, for this run or always, for a pattern of arguments, or with others */
  allowApproval: {
    input: {
      path: {
        id: string;
      };
      body: {
        /** One call; until the conversation ends; until the grant expires. */
        scope?: 'once' | 'run' | 'always';
        /** With the scope run or always: any, or a value for every argument; * and ** in texts. */
        pattern?: 'any' | Record<never, never>;
        /** Run the call with these instead, once. */
        arguments?: Record<never, never>;
        /** From a command without a terminal: approvals.unattended has to permit it. */
        unattended?: boolean;
      };
    };
    result: Approval;
  };
  /** Denies a call that waits, with a message to the model */
  denyApproval: {
    input: {
      path: {
        id: string;
      };
      body: {
        /** What the model hears. */
        message?: string;
      };
    };
    result: Approval;
  };
  /** What was allowed and is still worth something; patterns and changed arguments for operators only */
  listGrants: {
    input: {
      query?: {
        limit?: number;
        cursor?: string;
      };
    };
    result: {
      items: {
        id: string;
        approvalId: string;
        principal: string;
        /** Who stands behind the key. */
        person?: string | null;
        upstream: string;
        tool: string;
        toolDigest: string;
        /** One call; until the conversation ends; until the grant expires. */
        scope: 'once' | 'run' | 'always';
        run?: string;
        argumentsDigest?: string;
        /** any, or a value for every argument; * and ** in texts. */
        pattern?: 'any' | Record<never, never>;
        arguments?: Record<never, never>;
        /** For viewers. */
        hasPattern?: boolean;
        /** For viewers. */
        hasChangedArguments?: boolean;
        guards?: string[];
        classes?: string[];
        /** Milliseconds since the epoch. */
        createdAt: number;
        /** Milliseconds since the epoch. */
        expiresAt: number;
      }[];
      next?: string;
    };
  };
  /** Takes back what was allowed */
  revokeGrant: {
    input: {
      path: {
        id: string;
      };
    };
    result: {
      id: string;
      revoked: true;
    };
  };
  /** Results in quarantine, the newest first; what stands in them is shown one by one */
  listResults: {
    input: {
      query?: {
        limit?: number;
        cursor?: string;
        state?: 'held' | 'released' | 'delivered' | 'dropped';
      };
    };
    result: {
      items: KeptResult[];
      next?: string;
    };
  };
  /** One result in quarantine, with what the server answered: it is hostile until somebody says otherwise */
  showResult: {
    input: {
      path: {
        id: string;
      };
    };
    result: {
      id: string;
      state: 'held' | 'released' | 'delivered' | 'dropped';
      createdAt: string;
      expiresAt: string;
      /** Who made the call, and gets the result. */
      principal: string;
      /** Who stands behind the key of that caller. */
      person: string | null;
      upstream: string;
      /** For what is no result of a tool the method and the URI or name: resources/read note://today. */
      tool: string;
      findings: Finding[];
      /** The person, or the id of the principal where none is known. */
      decidedBy: string | null;
      /** Id of the principal. */
      decidedById: string | null;
      decidedAt: string | null;
      reason: string | null;
      /** As the server sent it; null: it is gone. */
      result: {
        [k: string]: unknown;
      };
    };
  };
  /** Lets the caller of a result in quarantine have it: the same call, made again, gets it once */
  releaseResult: {
    input: {
      path: {
        id: string;
      };
      body: {
        /** Why; stands in the audit. */
        reason: string;
        /** From a command without a terminal: approvals.unattended has to permit it. */
        unattended?: boolean;
      };
    };
    result: KeptResult;
  };
  /** Deletes a result in quarantine */
  dropResult: {
    input: {
      path: {
        id: string;
      };
      body: {
        /** Why; stands in the audit. */
        reason: string;
        /** From a command without a terminal: approvals.unattended has to permit it. */
        unattended?: boolean;
      };
    };
    result: KeptResult;
  };
  /** Calls and events of the record, the newest first; values of arguments and results for operators only */
  searchAudit: {
    input: {
      query?: {
        limit?: number;
        cursor?: string;
        kind?: string;
        principal?: string;
        person?: string;
        agent?: string;
        tool?: string;
        upstream?: string;
        outcome?: 'ok' | 'tool_error' | 'error' | 'denied' | 'withheld' | 'cancelled' | 'failed' | 'unfinished';
        guard?: string;
        callId?: string;
        text?: string;
        since?: string;
        until?: string;
      };
    };
    result: {
      /** Items: A call as one object, or an event: the members of its records. */
      items: {
        chain: string;
        seq: number;
        time: string;
      }[];
      next?: string;
    };
  };
  /** Every record of one call, and where it stands */
  showAuditCall: {
    input: {
      path: {
        callId: string;
      };
    };
    result: {
      items: {
        chain: string;
        segment: string;
        /** Where the line begins. Bytes. */
        offset: number;
        record: Record<never, never>;
      }[];
      next?: string;
    };
  };
  /** Forgets the index of the record and makes it anew from the segments */
  rebuildAuditIndex: {
    input: Record<never, never>;
    result: {
      records: number;
      segments: number;
    };
  };
  /** Records as they are written; values of arguments and results for operators only */
  followAudit: {
    input: Record<never, never>;
  };
  /** Every record, as JSON lines as they stand, or as CSV */
  exportAudit: {
    input: {
      query?: {
        format?: 'jsonl' | 'chained' | 'csv';
        since?: string;
        until?: string;
      };
    };
  };
  /** Whether a record was changed, cut, moved or put in; the first bad one of each chain */
  verifyAudit: {
    input: {
      query?: {
        expect?: string;
        key?: string;
      };
    };
    result: {
      ok: boolean;
      /** Of the key whose seals count. */
      key: string;
      directory: string;
      /** Compared with what the database of the state directory knows. */
      database: boolean;
      /** The file of published heads that it was compared with. */
      anchor: string | null;
      chains: {
        chain: string;
        segments: number;
        records: number;
        seals: number;
        first: number;
        last: {
          seq: number;
          hash: string;
        };
        /** Records after the last seal. */
        unsealed: number;
        /** Starts without a stop before: it was killed, or the power went. */
        killed: number;
        bad: {
          seq: number;
          segment: string;
          problem: string;
        } | null;
      }[];
    };
  };
  /** The public key of the seals, to verify elsewhere */
  showAuditKey: {
    input: Record<never, never>;
    result: {
      key: string;
      /** PEM. */
      publicKey: string;
    };
  };
  /** Accepts that files of the record were removed or changed: writing goes on in a new segment */
  repairAudit: {
    input: Record<never, never>;
    result: {
      chains: string[];
    };
  };
  /** The rate limits and quotas in force */
  listLimits: {
    input: Record<never, never>;
    result: {
      rules: {
        name: string;
        per: 'principal' | 'tool' | 'upstream' | 'principal+tool';
        /** What is left out matches everything. */
        match: {
          upstream?: string;
          tool?: string;
          group?: string;
        };
        rate: string;
        burst: number;
      }[];
      quotas: {
        name: string;
        per: 'principal' | 'tool' | 'upstream' | 'principal+tool';
        /** What is left out matches everything. */
        match: {
          upstream?: string;
          tool?: string;
          group?: string;
        };
        limit: number;
        window: 'day' | 'month';
      }[];
    };
  };
  /** What has been used of the quotas of this day and month */
  listUsage: {
    input: {
      query?: {
        limit?: number;
        cursor?: string;
        principal?: string;
        quota?: string;
      };
    };
    result: {
      items: {
        quota: string;
        window: 'day' | 'month';
        /** The day or month (UTC). */
        period: string;
        /** Whose count it is; null: of all callers together. */
        principal: string | null;
        upstream: string | null;
        tool: string | null;
        used: number;
        limit: number;
        left: number;
        resetsAt: string;
      }[];
      next?: string;
    };
  };
  /** About how many tokens calls and their results took, by tool, server or day */
  listTokenUse: {
    input: {
      query?: {
        limit?: number;
        cursor?: string;
        since?: string;
        by?: 'tool' | 'server' | 'day';
      };
    };
    result: {
      items: {
        /** The day (UTC); null unless asked for by day. */
        day: string | null;
        server: string | null;
        /** A tool, or the method of what is no call; "other": calls that failed. */
        tool: string | null;
        calls: number;
        /** Estimated from bytes. */
        requestTokens: number;
        /** Estimated from bytes. */
        resultTokens: number;
      }[];
      next?: string;
    };
  };
  /** Servers, audit and database, and how much waits for people */
  showHealth: {
    input: Record<never, never>;
    result: {
      /** Calls are recorded, no record is missing, the database can be read, and no upstream is broken. */
      ok: boolean;
      version: string;
      upstreams: {
        name: string;
        state: 'idle' | 'connecting' | 'ready' | 'broken' | 'unauthenticated' | 'stopped';
        lastError: string | null;
      }[];
      audit: {
        mode: 'strict' | 'batched' | 'off';
        /** Why nothing can be recorded; calls are refused meanwhile. */
        trouble: string | null;
        /** What a start found missing or changed; null: nothing, or "audit repair" has accepted it. */
        damage: string | null;
        /** false: the last head could not be published (audit.anchor). */
        published: boolean;
      };
      database: {
        trouble: string | null;
      };
      /** null: the database cannot be read. */
      pinsWaiting: number | null;
      /** null: the database cannot be read. */
      approvalsWaiting: number | null;
    };
  };
  /** The same at once, and again whenever it changes */
  followHealth: {
    input: Record<never, never>;
  };
  /** First every definition that waits for a decision, then each that changes or is decided about */
  followDrift: {
    input: Record<never, never>;
  };
  /** Changes of lists and connections */
  followEvents: {
    input: Record<never, never>;
  };
};
export type Server = {
  name: string;
  transport: 'stdio' | 'http' | 'sse';
  state: 'idle' | 'connecting' | 'ready' | 'broken' | 'unauthenticated' | 'stopped';
  era?: string | null;
  revision: string | null;
  connections: number;
  inFlight: number;
  lastError: string | null;
  /** What it offers, and how much of it may not be used; null: it was not met yet. */
  definitions: {
    /** All of its tools, the following ones included. */
    tools: number;
    /** They wait for a person. */
    quarantined: number;
    rejected: number;
    /** They may be used, and have a schema that validates nothing. */
    unvalidated: number;
    /** They cannot be shown at all. */
    malformed: number;
    /** Definitions of every kind that wait for a person. */
    waiting: number;
  } | null;
  /** What is left out of its lists, and which schemas validate nothing, with the reason; the first 100. */
  problems: string[];
  /** The last lines a child wrote to stderr. */
  stderr?: string[];
};
export type Key = {
  id: string;
  name: string;
  state: 'active' | 'expired' | 'revoked';
  /** The human being who uses it. */
  person: string | null;
  /** The system account that uses it. */
  account: string | null;
  groups: string[];
  /** null: not limited by scopes. */
  scopes: string[] | null;
  attributes: KeyAttributes;
  createdAt: string;
  expiresAt: string | null;
  revokedAt: string | null;
  /** To the minute. */
  lastUsedAt: string | null;
};
/** Names and values that bind arguments to its holder. */
export type KeyAttributes = {
  [k: string]: string | string[];
};
export type Finding = {
  /** The rule that found it; docs/scan-definitions.md says what each is about. */
  id: string;
  /** block: held until a person approves it. review: to be read. */
  tier: 'block' | 'review';
  /** OWASP MCP Top 10 (2025). */
  owasp: string;
  /** JSON Pointer (RFC 6901) of the text; empty for a text alone. */
  where: string;
  /** In UTF-16 units of that text. */
  start: number;
  end: number;
  /** That part of the text, made harmless to show. */
  evidence: string;
  why: string;
  /** What you can do about it. */
  fix: string;
};
export type PinDecision = {
  /**
   * @minItems 1
   * @maxItems 10000
   */
  items: {
    server: string;
    item: string;
    digest: string;
  }[];
  /** Approve also what is held for what reading it found; otherwise it is left alone. */
  withFindings?: boolean;
};
export type PinOutcome = {
  mode: 'laptop' | 'team' | 'locked' | 'off';
  done: {
    server: string;
    item: string;
  }[];
  /** They offer another definition by now, and were left alone. */
  late: {
    server: string;
    item: string;
  }[];
  /** Held for what reading them found, and left alone: say withFindings. */
  left: {
    server: string;
    item: string;
  }[];
};
export type Policy = {
  id: string;
  file: string;
  line: number;
  effect: 'permit' | 'forbid';
  /** The one server its scope names; null: any. */
  server: string | null;
  /** What of the context it reads: such a policy is asked on every call. */
  reads: ('arguments' | 'labels' | 'client' | 'time')[];
};
/** The policies that are meant: a starter set, texts in Cedar, or both. Left out: those of the configuration. */
export type GivenPolicies = {
  set?: 'laptop' | 'team' | 'locked';
  files?: {
    file: string;
    text: string;
  }[];
};
/** Before the call; absent where the policies were not asked. */
export type CallDecision = {
  effect: 'allow' | 'ask' | 'deny';
  /** Ids of the policies that decided; none where nothing permits. */
  policies: string[];
  /** Digest of the policies that decided. */
  version: string;
  reason?: string;
  people?: number;
};
/** Before the result; absent where no policy speaks of results. */
export type ReleaseDecision = {
  effect: 'allow' | 'ask' | 'deny';
  /** Ids of the policies that decided; none where nothing permits. */
  policies: string[];
  /** Digest of the policies that decided. */
  version: string;
  reason?: string;
  people?: number;
};
/** Of the policies that are only tried. */
export type CandidateDecision = {
  effect: 'allow' | 'ask' | 'deny';
  /** Ids of the policies that decided; none where nothing permits. */
  policies: string[];
  /** Digest of the policies that decided. */
  version: string;
  reason?: string;
  people?: number;
};
export type Plan = {
  id: string;
  /** As the client writes it in `_meta["dev.sallyport/run"]`. */
  run: string;
  /** Whose run it is. */
  principal: string;
  /** The program of that caller, where its credential names one. */
  agent: string | null;
  /** `all`, `server/NAME` or `bundle/NAME`: where its names mean something. */
  endpoint: string;
  /** SHA-256 of the plan; a client may send it to be refused when it is not in force. */
  digest: string;
  steps: number;
  state: 'in_force' | 'ended';
  /** The operator; null: the client itself. */
  fixedBy: string | null;
  fixedAt: string;
};
export type RegisteredPlan = {
  id: string;
  /** As the client writes it in `_meta["dev.sallyport/run"]`. */
  run: string;
  /** Whose run it is. */
  principal: string;
  /** The program of that caller, where its credential names one. */
  agent: string | null;
  /** `all`, `server/NAME` or `bundle/NAME`: where its names mean something. */
  endpoint: string;
  /** SHA-256 of the plan; a client may send it to be refused when it is not in force. */
  digest: string;
  steps: number;
  state: 'in_force' | 'ended';
  /** The operator; null: the client itself. */
  fixedBy: string | null;
  fixedAt: string;
  /** As it was written. */
  plan: Record<never, never>;
  /** Steps that name what is not known now. What cannot be there is refused. */
  warnings: string[];
};
export type WholePlan = {
  id: string;
  /** As the client writes it in `_meta["dev.sallyport/run"]`. */
  run: string;
  /** Whose run it is. */
  principal: string;
  /** The program of that caller, where its credential names one. */
  agent: string | null;
  /** `all`, `server/NAME` or `bundle/NAME`: where its names mean something. */
  endpoint: string;
  /** SHA-256 of the plan; a client may send it to be refused when it is not in force. */
  digest: string;
  steps: number;
  state: 'in_force' | 'ended';
  /** The operator; null: the client itself. */
  fixedBy: string | null;
  fixedAt: string;
  /** As it was written. */
  plan: Record<never, never>;
};
export type Approval = {
  id: string;
  state: 'waiting' | 'allowed' | 'denied' | 'expired';
  /** Milliseconds since the epoch. */
  createdAt: number;
  /** Milliseconds since the epoch. */
  updatedAt: number;
  /** Milliseconds since the epoch. */
  expiresAt: number;
  /** How many different people must allow. */
  needed: number;
  callerMayAnswer?: boolean;
  answers: ApprovalAnswer[];
  callId: string;
  run?: string;
  /** Id of the caller. */
  principal: string;
  person?: string;
  client: string;
  upstream: string;
  tool: string;
  toolDigest: string;
  /** For operators, with {{hidden:…}} in place of secrets. */
  arguments?: Record<never, never>;
  /** For viewers. */
  argumentNames?: string[];
  argumentsDigest: string;
  policyVersion?: string;
  reasons: {
    guard: string;
    reason?: string;
  }[];
  classes: string[];
  /** From the last allowed call of this tool; left out: there was none. */
  difference?: {
    path: string;
    before?: unknown;
    after?: unknown;
  }[];
};
export type ApprovalAnswer = {
  /** The principal. */
  by: string;
  person?: string;
  via: 'elicitation' | 'command' | 'api';
  /** Milliseconds since the epoch. */
  at: number;
  kind: 'allow' | 'deny';
  /** One call; until the conversation ends; until the grant expires. */
  scope?: 'once' | 'run' | 'always';
  /** any, or a value for every argument; * and ** in texts. */
  pattern?: 'any' | Record<never, never>;
  arguments?: Record<never, never>;
  message?: string;
};
export type KeptResult = {
  id: string;
  state: 'held' | 'released' | 'delivered' | 'dropped';
  createdAt: string;
  expiresAt: string;
  /** Who made the call, and gets the result. */
  principal: string;
  /** Who stands behind the key of that caller. */
  person: string | null;
  upstream: string;
  /** For what is no result of a tool the method and the URI or name: resources/read note://today. */
  tool: string;
  findings: Finding[];
  /** The person, or the id of the principal where none is known. */
  decidedBy: string | null;
  /** Id of the principal. */
  decidedById: string | null;
  decidedAt: string | null;
  reason: string | null;
};

/** Operations that answer once. */
export type OperationId =
  | 'listServers'
  | 'showServer'
  | 'restartServer'
  | 'noteSignIn'
  | 'listTools'
  | 'listProblems'
  | 'listKeys'
  | 'createKey'
  | 'showKey'
  | 'revokeKey'
  | 'listPins'
  | 'listPinDifferences'
  | 'approvePins'
  | 'rejectPins'
  | 'lockPins'
  | 'verifyPins'
  | 'listFindings'
  | 'listPolicies'
  | 'checkPolicies'
  | 'testPolicies'
  | 'listDecisions'
  | 'explainDecision'
  | 'shadowPolicies'
  | 'listPlans'
  | 'registerPlan'
  | 'showPlan'
  | 'endPlan'
  | 'listApprovals'
  | 'showApproval'
  | 'allowApproval'
  | 'denyApproval'
  | 'listGrants'
  | 'revokeGrant'
  | 'listResults'
  | 'showResult'
  | 'releaseResult'
  | 'dropResult'
  | 'searchAudit'
  | 'showAuditCall'
  | 'rebuildAuditIndex'
  | 'verifyAudit'
  | 'showAuditKey'
  | 'repairAudit'
  | 'listLimits'
  | 'listUsage'
  | 'listTokenUse'
  | 'showHealth';

/** Operations that answer with events until the client goes. */
export type StreamId = 'followApprovals' | 'followAudit' | 'followHealth' | 'followDrift' | 'followEvents';

/** Operations that answer with text of any length. */
export type TextId = 'exportAudit';

export const OPERATIONS: Readonly<
  Record<OperationId | StreamId | TextId, { readonly method: string; readonly path: string }>
> = {
  listServers: { method: 'GET', path: '/servers' },
  showServer: { method: 'GET', path: '/servers/{name}' },
  restartServer: { method: 'POST', path: '/servers/{name}/restart' },
  noteSignIn: { method: 'POST', path: '/servers/{name}/sign-ins' },
  listTools: { method: 'GET', path: '/tools' },
  listProblems: { method: 'GET', path: '/problems' },
  listKeys: { method: 'GET', path: '/keys' },
  createKey: { method: 'POST', path: '/keys' },
  showKey: { method: 'GET', path: '/keys/{key}' },
  revokeKey: { method: 'POST', path: '/keys/{key}/revoke' },
  listPins: { method: 'GET', path: '/pins' },
  listPinDifferences: { method: 'GET', path: '/pins/differences' },
  approvePins: { method: 'POST', path: '/pins/approve' },
  rejectPins: { method: 'POST', path: '/pins/reject' },
  lockPins: { method: 'POST', path: '/pins/lock' },
  verifyPins: { method: 'POST', path: '/pins/verify' },
  listFindings: { method: 'GET', path: '/findings' },
  listPolicies: { method: 'GET', path: '/policies' },
  checkPolicies: { method: 'POST', path: '/policies/check' },
  testPolicies: { method: 'POST', path: '/policies/test' },
  listDecisions: { method: 'GET', path: '/policies/decisions' },
  explainDecision: { method: 'GET', path: '/policies/why/{callId}' },
  shadowPolicies: { method: 'POST', path: '/policies/shadow' },
  listPlans: { method: 'GET', path: '/plans' },
  registerPlan: { method: 'POST', path: '/plans' },
  showPlan: { method: 'GET', path: '/plans/{id}' },
  endPlan: { method: 'POST', path: '/plans/{id}/end' },
  listApprovals: { method: 'GET', path: '/approvals' },
  followApprovals: { method: 'GET', path: '/approvals/events' },
  showApproval: { method: 'GET', path: '/approvals/{id}' },
  allowApproval: { method: 'POST', path: '/approvals/{id}/allow' },
  denyApproval: { method: 'POST', path: '/approvals/{id}/deny' },
  listGrants: { method: 'GET', path: '/grants' },
  revokeGrant: { method: 'DELETE', path: '/grants/{id}' },
  listResults: { method: 'GET', path: '/results' },
  showResult: { method: 'GET', path: '/results/{id}' },
  releaseResult: { method: 'POST', path: '/results/{id}/release' },
  dropResult: { method: 'POST', path: '/results/{id}/drop' },
  searchAudit: { method: 'GET', path: '/audit/calls' },
  showAuditCall: { method: 'GET', path: '/audit/calls/{callId}' },
  rebuildAuditIndex: { method: 'POST', path: '/audit/index' },
  followAudit: { method: 'GET', path: '/audit/events' },
  exportAudit: { method: 'GET', path: '/audit/export' },
  verifyAudit: { method: 'GET', path: '/audit/verification' },
  showAuditKey: { method: 'GET', path: '/audit/key' },
  repairAudit: { method: 'POST', path: '/audit/repair' },
  listLimits: { method: 'GET', path: '/limits' },
  listUsage: { method: 'GET', path: '/limits/usage' },
  listTokenUse: { method: 'GET', path: '/tokens/use' },
  showHealth: { method: 'GET', path: '/health' },
  followHealth: { method: 'GET', path: '/health/events' },
  followDrift: { method: 'GET', path: '/drift/events' },
  followEvents: { method: 'GET', path: '/events' },
};
