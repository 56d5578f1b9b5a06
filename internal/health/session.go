package health

import (
	"fmt"

	"github.com/alanbuscaglia/engram/internal/project"
)

// strays are sessions that belong elsewhere, with where that is.
type stray struct {
	Session
	To string
}

// misnamed are the sessions whose id names another project than theirs. One without a
// project takes it with the next save, and is none.
func misnamed(list []Session) (all []stray) {
	for _, s := range list {
		if s.Named != "" && s.Project != "" && s.Named != s.Project {
			all = append(all, stray{s, s.Named})
		}
	}
	return all
}

// misplaced are the sessions whose directory is another project than theirs. The name
// of a folder alone proves nothing, nor does a repository that merely lies in it; and
// whoever saved outside a session under a project of their choice meant it.
func misplaced(list []Session) (all []stray) {
	for _, s := range list {
		trusted := s.Source == string(project.SourceConfig) || s.Source == string(project.SourceRemote) || s.Source == string(project.SourceRoot)
		if trusted && s.Folder != "" && s.Project != "" && s.Folder != s.Project && s.Named == "" {
			all = append(all, stray{s, s.Folder})
		}
	}
	return all
}

const moveSessions = "engram doctor repair --project %s --check %s --plan shows what would change; --apply does it, after a backup. Leave it if the project was chosen on purpose."

func judgeManual(f Facts, p Policy, why string) Check {
	strays := misnamed(f.Sessions.List)
	return judgeStrays(ManualSession, why, f, p, strays, func(s stray) (string, Evidence) {
		return fmt.Sprintf("Session %q belongs to project %q.", s.ID, s.Project),
			Evidence{"session_id": s.ID, "session_project": s.Project, "name_project": s.To, "memories": s.Memories}
	})
}

func judgeFolders(f Facts, p Policy, why string) Check {
	strays := misplaced(f.Sessions.List)
	return judgeStrays(SessionFolder, why, f, p, strays, func(s stray) (string, Evidence) {
		return fmt.Sprintf("Session %q belongs to project %q, and its directory is project %q.", s.ID, s.Project, s.To),
			Evidence{"session_id": s.ID, "session_project": s.Project, "session_directory": s.Directory, "directory_project": s.To,
				"directory_project_source": s.Source, "directory_project_path": s.FolderPath, "memories": s.Memories}
	})
}

func judgeStrays(id ID, why string, f Facts, p Policy, strays []stray, tell func(stray) (string, Evidence)) Check {
	e := Evidence{"sessions": len(f.Sessions.List), "mismatches": len(strays)}
	if len(strays) == 0 {
		return fine(id, why, e)
	}
	message, _ := tell(strays[0])
	if len(strays) > 1 {
		message = fmt.Sprintf("%d sessions belong to another project. %s", len(strays), message)
	}
	c := bad(Warning, Finding{Check: id, Reason: string(id), Message: message, Why: why, Evidence: e,
		Next: fmt.Sprintf(moveSessions, strays[0].Project, id), Confirm: true})
	for _, s := range strays[:min(len(strays), p.Examples)] {
		message, e := tell(s)
		one := single(c.Finding, message, e)
		one.Next = fmt.Sprintf(moveSessions, s.Project, id)
		c.Findings = append(c.Findings, one)
	}
	return c
}
