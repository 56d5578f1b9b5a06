package health_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/health"
)

// well is a store without faults.
func well() health.Facts {
	known := health.Part{Known: true}
	now := time.Date(2026, 6, 12, 9, 0, 0, 0, time.UTC)
	return health.Facts{
		Path: "/data/engram.db", Names: map[string]string{"shop": "shop", "till": "till", "storefront": "shop"},
		Damage: health.Damage{Part: known}, Index: health.Index{Part: known, Live: 3, Indexed: 3},
		Vectors: health.Vectors{Part: known, Model: "m", Live: 3, Have: 3}, Records: health.Records{Part: known},
		Relations: health.Relations{Part: known}, Sessions: health.Sessions{Part: known},
		Log:      health.Log{Part: known, Mode: "wal", Frames: 10, Moved: 10, Bytes: 4 << 20},
		Clock:    health.Clock{Part: known, Now: now, Last: now.Add(-time.Hour)},
		Programs: health.Programs{Part: known, Now: now}, SQLite: health.SQLite{Part: known, Version: "3.54.1"},
		Files:   health.Files{Part: known, Database: 30 << 20, Free: 5 << 30, Kind: "ext", Folders: []string{"/data"}},
		Secrets: health.KeptSecrets{Part: known, Rules: "2", Current: "2"},
	}
}

func TestAWellStoreIsWell(t *testing.T) {
	for _, id := range health.IDs() {
		c := health.Judge(id, well(), health.DefaultPolicy())
		if c.Result != health.OK || c.Severity != health.Info || c.Reason != string(id)+"_ok" || c.Message != "No issues detected." ||
			c.Check != id || c.Why == "" || c.Evidence == nil || c.Next == "" || c.Confirm || c.Findings != nil {
			t.Errorf("%s: got %+v, want a check that is fine", id, c)
		}
	}
}

func TestEachCheckFindsItsMatter(t *testing.T) {
	now := well().Clock.Now
	for _, tt := range []struct {
		name   string
		id     health.ID
		change func(*health.Facts)
		result health.Status
		reason string
		says   string // part of the message, or of a finding's
	}{
		{"SQLite finds a damaged page", health.Integrity, func(f *health.Facts) { f.Damage.Problems = []string{"Page 7: never used"} },
			health.Failed, "database_damaged", "Page 7"},
		{"a content is not what was saved", health.Integrity, func(f *health.Facts) { f.Damage.Full = true; f.Damage.Altered.Add(4, 9) },
			health.Failed, "content_altered", "#4"},
		{"rows refer to nothing", health.Integrity, func(f *health.Facts) { f.Damage.Orphans = 2; f.Damage.Tables = []string{"tags"} },
			health.Failed, "rows_without_parent", "2 rows refer to missing rows (tags)"},
		{"the file cannot be read", health.Integrity, func(f *health.Facts) { *f = health.Facts{Err: errors.New("not a database")} },
			health.Failed, "database_integrity_unreadable", "not a database"},
		{"what nobody looked at is not called well", health.IndexInStep, func(f *health.Facts) { f.Index = health.Index{} },
			health.Failed, "index_in_step_not_checked", "Cannot check this"},
		{"what hangs on a damaged file is blocked", health.IndexInStep, func(f *health.Facts) { f.Index.Err = errors.New("malformed"); f.Damage.Problems = []string{"page 3"} },
			health.Blocked, "index_in_step_not_checked", "malformed"},
		{"a memory is not in the index", health.IndexInStep, func(f *health.Facts) { f.Index.Missing.Add(2, 9) },
			health.Failed, "index_out_of_step", "1 memory is not found by its words"},
		{"the index holds what is gone", health.IndexInStep, func(f *health.Facts) { f.Index.Dead.Add(2, 9); f.Index.Dead.Add(3, 9) },
			health.Failed, "index_out_of_step", "2 forgotten or deleted memories"},
		{"a memory is in the index twice", health.IndexInStep, func(f *health.Facts) { f.Index.Doubled.Add(2, 9) },
			health.Failed, "index_out_of_step", "twice"},
		{"the index cannot be read", health.IndexInStep, func(f *health.Facts) { f.Index.Broken = errors.New("segment 3") },
			health.Failed, "index_damaged", "segment 3"},
		{"a memory has no vector", health.VectorsInStep, func(f *health.Facts) { f.Vectors.Missing.Add(2, 9) },
			health.Warning, "vectors_out_of_step", "1 memory has no vector"},
		{"a vector outlived its memory", health.VectorsInStep, func(f *health.Facts) { f.Vectors.Stale.Add(2, 9) },
			health.Warning, "vectors_out_of_step", "forgotten or deleted"},
		{"a vector is too short", health.VectorsInStep, func(f *health.Facts) { f.Vectors.Misfit.Add(2, 9) },
			health.Warning, "vectors_out_of_step", "length"},
		{"a vector has another's code", health.VectorsInStep, func(f *health.Facts) { f.Vectors.OffCode.Add(2, 9) },
			health.Warning, "vectors_out_of_step", "code"},
		{"vectors of a former model are left", health.VectorsInStep, func(f *health.Facts) { f.Vectors.Former = []string{"old"} },
			health.Warning, "former_model", "old"},
		{"finding by words alone is a choice", health.VectorsInStep, func(f *health.Facts) { f.Vectors = health.Vectors{Part: f.Vectors.Part, Former: []string{"old"}} },
			health.OK, "vectors_in_step_ok", ""},
		{"a memory has no type", health.RequiredFields, func(f *health.Facts) {
			f.Records.Count, f.Records.Lacking = 1, []health.Lacking{{Num: 5, Fields: []string{"type"}}}
		}, health.Blocked, "memories_lack_required_fields", "Memory #5 lacks: type."},
		{"a journal entry has no verb", health.RequiredFields, func(f *health.Facts) { f.Records.Entries.Add(8, 9) },
			health.Blocked, "journal_entries_lack_required_fields", "Journal entry 8 has no operation"},
		{"a relation leads nowhere", health.Nowhere, func(f *health.Facts) { f.Relations.Add(3, 9) }, health.Warning, "relations_to_nowhere", "1 relation leads"},
		{"a session is named for another project", health.ManualSession,
			func(f *health.Facts) {
				f.Sessions.List = []health.Session{{ID: "manual-save-shop", Project: "till", Named: "shop"}}
			},
			health.Warning, "manual_session_name_project_mismatch", `"manual-save-shop" belongs to project "till"`},
		{"a session without a project takes it with the next save", health.ManualSession,
			func(f *health.Facts) { f.Sessions.List = []health.Session{{ID: "manual-save-shop", Named: "shop"}} },
			health.OK, "manual_session_name_project_mismatch_ok", ""},
		{"a session's repository is another project", health.SessionFolder,
			func(f *health.Facts) {
				f.Sessions.List = []health.Session{{ID: "s", Project: "till", Folder: "shop", Source: "git_remote"}}
			},
			health.Warning, "session_project_directory_mismatch", `its directory is project "shop"`},
		{"the name of a folder proves nothing", health.SessionFolder,
			func(f *health.Facts) {
				f.Sessions.List = []health.Session{{ID: "s", Project: "till", Folder: "shop", Source: "dir_basename"}}
			},
			health.OK, "session_project_directory_mismatch_ok", ""},
		{"who saved under a project of their choice meant it", health.SessionFolder,
			func(f *health.Facts) {
				f.Sessions.List = []health.Session{{ID: "manual-save-till", Named: "till", Project: "till", Folder: "shop", Source: "git_root"}}
			},
			health.OK, "session_project_directory_mismatch_ok", ""},
		{"somebody holds the lock", health.LockContention, func(f *health.Facts) { f.Log.Locked = true; f.Log.Patience = 2 * time.Second },
			health.Warning, "sqlite_lock_contention_detected", "2000 ms"},
		{"somebody is checkpointing", health.LockContention, func(f *health.Facts) { f.Log.Busy = true }, health.Warning, "sqlite_lock_contention_detected", "checkpointing"},
		{"the lock cannot be tried", health.LockContention, func(f *health.Facts) { f.Log.Err = errors.New("read-only") },
			health.Failed, "sqlite_lock_probe_failed", "read-only"},
		{"nobody writes to a damaged file to try its lock", health.LockContention, func(f *health.Facts) { f.Damage.Problems, f.Log = []string{"page 3"}, health.Log{} },
			health.Blocked, "sqlite_lock_contention_not_checked", "damaged"},
		{"the log has grown long", health.LogCheckpoint, func(f *health.Facts) { f.Log.Bytes, f.Log.Frames = 65<<20, 17000 }, health.Warning, "wal_too_long", "65 MB"},
		{"the journal mode is another", health.LogCheckpoint, func(f *health.Facts) { f.Log.Mode = "delete" }, health.Warning, "journal_mode_not_wal", `"delete"`},
		{"the journal is a day ahead", health.ClockBackwards, func(f *health.Facts) { f.Clock.Last = now.Add(24 * time.Hour) },
			health.Warning, "clock_moved_backwards", "24h0m0s ahead"},
		{"a memory comes from the future", health.ClockBackwards, func(f *health.Facts) { f.Clock.Future, f.Clock.Newest = 1, now.Add(time.Hour) },
			health.Warning, "clock_moved_backwards", "1h0m0s ahead"},
		{"half a minute is no matter", health.ClockBackwards, func(f *health.Facts) { f.Clock.Last = now.Add(30 * time.Second) }, health.OK, "clock_moved_backwards_ok", ""},
		{"two versions take turns", health.BinaryVersions, func(f *health.Facts) {
			f.Programs.List = []health.Program{{"1.0", now.Add(-3 * time.Hour), now}, {"2.0", now.Add(-2 * time.Hour), now.Add(-time.Hour)}}
		}, health.Warning, "several_binary_versions", "1.0, 2.0"},
		{"an update is none of that", health.BinaryVersions, func(f *health.Facts) {
			f.Programs.List = []health.Program{{"1.0", now.Add(-3 * time.Hour), now.Add(-2 * time.Hour)}, {"2.0", now.Add(-time.Hour), now}}
		}, health.OK, "binary_versions_ok", ""},
		{"what took turns a month ago is over", health.BinaryVersions, func(f *health.Facts) {
			f.Programs.List = []health.Program{{"1.0", now.Add(-900 * time.Hour), now.Add(-800 * time.Hour)}, {"2.0", now.Add(-850 * time.Hour), now}}
		}, health.OK, "binary_versions_ok", ""},
		{"SQLite has the bug that destroys databases", health.SQLiteVersion, func(f *health.Facts) { f.SQLite.Version = "3.51.2" }, health.Failed, "sqlite_too_old", "3.51.2"},
		{"3.53.10 is later than 3.53.2", health.SQLiteVersion, func(f *health.Facts) { f.SQLite.Version = "3.53.10" }, health.OK, "sqlite_version_ok", ""},
		{"3.53.1 is earlier", health.SQLiteVersion, func(f *health.Facts) { f.SQLite.Version = "3.53.1" }, health.Failed, "sqlite_too_old", "3.53.1"},
		{"the disk is nearly full", health.DiskSpace, func(f *health.Facts) { f.Files.Free = 90 << 20 }, health.Warning, "disk_space_low", "90 MB free"},
		{"a large database needs more", health.DiskSpace, func(f *health.Facts) { f.Files.Free, f.Files.Database = 3<<30, 2<<30 }, health.Warning, "disk_space_low", "3072 MB"},
		{"the disk is full", health.DiskSpace, func(f *health.Facts) { f.Files.Free = 0 }, health.Failed, "disk_space_low", "0 bytes free"},
		{"nobody knows how much is free", health.DiskSpace, func(f *health.Facts) { f.Files.Free = -1 }, health.OK, "disk_space_ok", ""},
		{"a memory has a secret, and what another one said", health.Secrets, func(f *health.Facts) {
			f.Secrets.Memories.Add(7, 9)
			f.Secrets.Past.Add(8, 9)
			f.Secrets.Kinds = map[string]int{"jwt": 1, "github-pat": 2}
		}, health.Warning, "secrets_kept", "2 texts have secrets that were not kept on purpose: github-pat 2, jwt 1."},
		{"single memories are named", health.Secrets, func(f *health.Facts) { f.Secrets.Past.Add(8, 9) }, health.Warning, "secrets_kept", "Earlier texts of memory #8"},
		{"nothing was found by newer rules", health.Secrets, func(f *health.Facts) { f.Secrets.Rules = "1" }, health.Warning, "secret_rules_older", "older rules"},
		{"agents are switched off", health.AgentsSwitched, func(f *health.Facts) { f.Switch = health.Switch{Everything: true, Since: now} },
			health.Warning, "agents_switched_off", "hooks are silent"},
		{"agents are switched off before there is a database", health.AgentsSwitched, func(f *health.Facts) { f.Missing, f.Switch.Everything = true, true },
			health.Warning, "agents_switched_off", "hooks are silent"},
		{"the switch cannot be read", health.AgentsSwitched, func(f *health.Facts) { f.Switch = health.Switch{Everything: true, Broken: "half a file."} },
			health.Blocked, "switch_unreadable", "half a file."},
		{"one project is switched off, which somebody wanted", health.AgentsSwitched, func(f *health.Facts) { f.Switch.Projects = []string{"bank", "shop"} },
			health.OK, "agents_switched_off_by_project", "bank, shop"},
		{"others may read", health.FileModes, func(f *health.Facts) { f.Files.Open = []health.Mode{{"/data/engram.db", 0o644, 0o600}} },
			health.Warning, "files_open_to_others", "/data/engram.db has mode 0644 instead of 0600"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := well()
			tt.change(&f)
			c := health.Judge(tt.id, f, health.DefaultPolicy())
			said := c.Message
			for _, one := range c.Findings {
				said += "\n" + one.Message
				if one.Reason == "" || one.Why == "" || one.Next == "" || one.Evidence == nil || one.Check != tt.id {
					t.Errorf("finding %+v lacks something", one)
				}
			}
			if c.Result != tt.result || c.Reason != tt.reason || !strings.Contains(said, tt.says) {
				t.Errorf("%s: got %s, %s, %q; want %s, %s, %q", tt.id, c.Result, c.Reason, said, tt.result, tt.reason, tt.says)
			}
			if c.Next == "" || c.Why == "" || c.Evidence == nil {
				t.Errorf("%s: got %+v, want a reason and a next step", tt.id, c)
			}
		})
	}
}

func TestNetworkAndSyncedFoldersAreTold(t *testing.T) {
	for _, kind := range []string{"nfs", "smb", "fuse", "9p", "afs", "ceph", "coda", "ncp", "gfs", "lustre", "webdav", "vboxsf", "remote"} {
		f := well()
		f.Files.Kind = kind
		if c := health.Judge(health.FileSystemKind, f, health.DefaultPolicy()); c.Result != health.Warning || c.Reason != "network_file_system" {
			t.Errorf("on %s: got %s (%s), want a warning", kind, c.Result, c.Reason)
		}
	}
	for _, folder := range []string{"/home/a/Dropbox/engram", "/home/a/Dropbox (Personal)", `/Users/a/OneDrive - Company/e`, "/home/a/OneDrive",
		"/Users/a/Library/Mobile Documents/com~apple~CloudDocs/e", "/Users/a/iCloud Drive", "/c/Users/a/iCloudDrive/e", "/Users/a/Library/CloudStorage/GoogleDrive-a@x.org/e",
		"/home/a/Google Drive/e", "/home/a/Nextcloud/e", "/home/a/ownCloud", "/home/a/pCloudDrive/e", "/home/a/MEGAsync", "/home/a/Syncthing/e"} {
		f := well()
		f.Files.Folders = []string{"/data", folder}
		if c := health.Judge(health.FileSystemKind, f, health.DefaultPolicy()); c.Result != health.Warning || c.Reason != "synced_folder" {
			t.Errorf("in %s: got %s (%s), want a warning", folder, c.Result, c.Reason)
		}
	}
	for _, folder := range []string{"/home/a/.engram", "/home/a/dropboxes", "/home/onedriver/x", "/srv/mydrive"} {
		f := well()
		f.Files.Folders = []string{folder}
		if c := health.Judge(health.FileSystemKind, f, health.DefaultPolicy()); c.Result != health.OK {
			t.Errorf("in %s: got %s (%s), want nothing", folder, c.Result, c.Message)
		}
	}
}

func TestADatabaseThatIsNotThereYetIsInOrder(t *testing.T) {
	for _, id := range health.IDs() {
		if c := health.Judge(id, health.Facts{Path: "/data/engram.db", Missing: true}, health.DefaultPolicy()); c.Result != health.OK {
			t.Errorf("%s: got %s, want ok", id, c.Result)
		}
	}
}

func TestADatabaseThatCannotBeCreatedIsAnError(t *testing.T) {
	f := health.Facts{Path: "/data/engram.db", Missing: true, NoPlace: errors.New("mkdir /data: permission denied")}
	c := health.Judge(health.Integrity, f, health.DefaultPolicy())
	if c.Result != health.Failed || !strings.Contains(c.Message, "permission denied") || !strings.Contains(c.Next, "--data-dir") {
		t.Errorf("got %s: %s %s", c.Result, c.Message, c.Next)
	}
}

func TestAFileThatIsNotOursSaysWhatToDo(t *testing.T) {
	f := health.Facts{Err: engram.Errorf(engram.CodeConflict, "written by a newer Engram").WithHint("update this program")}
	c := health.Judge(health.Integrity, f, health.DefaultPolicy())
	if c.Next != "Update this program." || c.Confirm || !strings.Contains(c.Message, "written by a newer Engram.") {
		t.Errorf("got %+v, want the error's own hint as the next step", c)
	}
}

func TestTheReportIsAsBadAsItsWorstCheck(t *testing.T) {
	check := func(s health.Status) health.Check { return health.Check{Result: s} }
	for _, tt := range []struct {
		name   string
		checks []health.Check
		want   health.Status
	}{
		{"no checks", nil, health.OK},
		{"warnings are worse than nothing", []health.Check{check(health.Warning), check(health.OK)}, health.Warning},
		{"what is blocked is worse than a warning", []health.Check{check(health.Blocked), check(health.Warning)}, health.Blocked},
		{"an error is the worst", []health.Check{check(health.Failed), check(health.Blocked)}, health.Failed},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := health.NewReport("p", tt.checks)
			if sum := r.Summary.OK + r.Summary.Warnings + r.Summary.Blocked + r.Summary.Errors; r.Status != tt.want || sum != len(tt.checks) || r.Summary.Total != sum {
				t.Errorf("%v: got %s, %+v; want %s", tt.checks, r.Status, r.Summary, tt.want)
			}
		})
	}
}

func TestExamplesAreBounded(t *testing.T) {
	f := well()
	for range 50 {
		f.Sessions.List = append(f.Sessions.List, health.Session{ID: "s", Project: "till", Folder: "shop", Source: "git_root"})
	}
	c := health.Judge(health.SessionFolder, f, health.DefaultPolicy())
	if len(c.Findings) != 20 || c.Evidence["mismatches"] != 50 {
		t.Errorf("50 sessions: got %d findings, evidence %v; want 20, and the number told", len(c.Findings), c.Evidence)
	}
}

func TestACheckThatDoesNotExistIsToldShortly(t *testing.T) {
	r := health.Unknown("p", strings.Repeat("x", 1000))
	if r.Status != health.Failed || len(r.Checks) != 1 || r.Checks[0].Check != "invalid_check" || len(r.Checks[0].Evidence["check"].(string)) > 70 {
		t.Errorf("got %+v, want one short invalid_check", r)
	}
}
