package httpapi

import "github.com/alanbuscaglia/engram/internal/render"

// elsewhere says where was looked and what is in other projects, for an answer in which
// nothing was found; "" where something was. Lists are bare arrays that clients parse, so a header has it.
func (a *API) elsewhere(q request, project string, found bool) (string, error) {
	if found {
		return "", nil
	}
	n, err := a.at(q).Nothing(q.Context(), project)
	return render.Nothing(n, "leave project out", "POST /memories"), err
}
