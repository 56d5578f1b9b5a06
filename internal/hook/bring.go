package hook

import "context"

// bringIn has what a pull of the repository brought come in, before the session is told what it should
// know. The line about it is said with that.
func (r *run) bringIn(ctx context.Context) {
	if r.BringIn == nil || r.project == "" {
		return
	}
	r.do("import")
	line, err := r.BringIn(ctx, r.project, r.dir)
	if err != nil {
		r.trouble("import", err)
	}
	if line != "" {
		r.brought = line + ".\n\n"
	}
}

// sayBrought says what was brought in, where there was no brief to say it with.
func (r *run) sayBrought() {
	if r.brought == "" || !r.agent.tellsAt(r.event) {
		return
	}
	r.mu.Lock()
	said := r.said != nil
	r.mu.Unlock()
	if !said {
		r.say(Answer{Context: r.brought})
	}
}
