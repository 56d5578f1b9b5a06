package health

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/alanbuscaglia/engram/internal/text"
)

func judgeSpace(f Facts, p Policy, why string) Check {
	d := f.Files
	need := max(p.LeastFree, p.Copies*d.Database)
	e := Evidence{"free_bytes": d.Free, "needed_bytes": need, "database_bytes": d.Database}
	if d.Free < 0 || d.Free >= need {
		return fine(DiskSpace, why, e)
	}
	result := Warning
	if d.Free < p.NoneFree {
		result = Failed
	}
	return bad(result, Finding{Check: DiskSpace, Reason: "disk_space_low", Why: why, Evidence: e,
		Message: fmt.Sprintf("There are %s free on the disk of the database, which has %s.", size(d.Free), size(d.Database)),
		Next:    fmt.Sprintf("Free at least %s, or move the data folder to a larger disk.", size(need))})
}

// remote reports file systems whose locks do not reach other machines or programs.
func remote(kind string) bool {
	return slices.Contains([]string{"nfs", "smb", "fuse", "9p", "afs", "ceph", "coda", "ncp", "gfs", "lustre", "webdav", "vboxsf", "remote"}, kind)
}

func judgeFileSystem(f Facts, p Policy, why string) Check {
	d := f.Files
	e := Evidence{"file_system": d.Kind, "folders": d.Folders}
	found := Finding{Check: FileSystemKind, Why: why, Evidence: e, Confirm: true,
		Next: "Stop the programs that use the database, move the data folder to a local disk, and name it with --data-dir or ENGRAM_DATA_DIR. To share memories between machines, use export and import."}
	if remote(d.Kind) {
		found.Reason, found.Message = "network_file_system", fmt.Sprintf("The database is on a network file system or one in user space (%s).", d.Kind)
		return bad(Warning, found)
	}
	for _, folder := range d.Folders {
		if name := synced(folder); name != "" {
			found.Reason, found.Message = "synced_folder", fmt.Sprintf("The database is in a folder that %s synchronizes with other machines.", name)
			e["synced_by"] = name
			return bad(Warning, found)
		}
	}
	return fine(FileSystemKind, why, e)
}

// synced names the program that synchronizes a folder, judged by the names of the folders above it;
// "" for none.
func synced(folder string) string {
	for part := range strings.SplitSeq(filepath.ToSlash(folder), "/") {
		part = strings.ToLower(part)
		for _, s := range []struct{ begins, name string }{
			{"dropbox", "Dropbox"}, {"onedrive", "OneDrive"}, {"icloud", "iCloud"}, {"iclouddrive", "iCloud"}, {"mobile documents", "iCloud"}, {"com~apple~clouddocs", "iCloud"},
			{"google drive", "Google Drive"}, {"googledrive", "Google Drive"}, {"my drive", "Google Drive"}, {"cloudstorage", "a cloud drive"},
			{"nextcloud", "Nextcloud"}, {"owncloud", "ownCloud"}, {"pcloud", "pCloud"}, {"pclouddrive", "pCloud"}, {"megasync", "MEGA"}, {"syncthing", "Syncthing"},
			{"seafile", "Seafile"}, {"tresorit", "Tresorit"}, {"yandex.disk", "Yandex Disk"}, {"proton drive", "Proton Drive"}, {"box sync", "Box"},
		} {
			// "Dropbox (Personal)", "OneDrive - Company": the name, then not a letter.
			rest, ok := strings.CutPrefix(part, s.begins)
			if ok && (rest == "" || !letter(rest[0])) {
				return s.name
			}
		}
	}
	return ""
}

func letter(b byte) bool { return b >= 'a' && b <= 'z' || b >= '0' && b <= '9' || b >= 0x80 }

func judgeModes(f Facts, p Policy, why string) Check {
	open := f.Files.Open
	e := Evidence{"files": len(open)}
	if len(open) == 0 {
		return fine(FileModes, why, e)
	}
	c := bad(Warning, Finding{Check: FileModes, Reason: "files_open_to_others", Why: why, Evidence: e,
		Message: text.Counted(len(open), "file or folder is open to others.", "files or folders are open to others."),
		Next:    "engram doctor --fix removes the rights of others."})
	for _, m := range open[:min(len(open), p.Examples)] {
		c.Findings = append(c.Findings, single(c.Finding, fmt.Sprintf("%s has mode %04o instead of %04o.", m.Path, m.Mode, m.Want),
			Evidence{"path": m.Path, "mode": fmt.Sprintf("%04o", m.Mode), "want": fmt.Sprintf("%04o", m.Want)}))
	}
	return c
}
