package httpapi_test

import "fmt"

func sleepCases() []routeCase {
	const nothing = `"at":T,"memories":2,"fading":2,"plan":[],"spared":[%s],"applied":0,"skipped":[],"made":[],"operations":[],"first_op":0,"last_op":0,"compacted":0,"degraded":[]}`
	spared := func(why string) string { return fmt.Sprintf(nothing, why) }
	const unpruned = `{"action":"prune","reason":"not weaker than 0.05","memories":2}`
	const unboosted = `{"action":"boost","reason":"read fewer than 3 times","memories":2},`
	return []routeCase{
		{"a sleep that has nothing to do", "POST /sleep", "POST /sleep", `{"project":"demo"}`, 200, `{"project":"demo","dry_run":false,` + spared(unboosted+unpruned)},
		{"a dry run of a sleep", "POST /sleep", "POST /sleep", `{"project":"demo","dry_run":true,"only":["merge"]}`, 200, `{"project":"demo","dry_run":true,` + spared("")},
		{"a sleep of a project nobody knows", "POST /sleep", "POST /sleep", `{"project":"nope"}`, 404, ""},
		{"an invalid step", "POST /sleep", "POST /sleep", `{"only":["dream"]}`, 400,
			`{"error":{"code":"invalid","message":"\"dream\" is not a step of a sleep","hint":"use one of fade, boost, merge, prune, extract"}}`},
		{"what is too weak is forgotten", "POST /prune", "POST /prune", `{"project":"demo","dry_run":true}`, 200, `{"project":"demo","dry_run":true,` + spared(unpruned)},
		{"an invalid strength", "POST /prune", "POST /prune", `{"below":2}`, 400,
			`{"error":{"code":"invalid","message":"below 2 is out of range","hint":"use a number from 0 to 1"}}`},
		{"nothing is weaker than nothing", "POST /prune", "POST /prune", `{"below":0}`, 400,
			`{"error":{"code":"invalid","message":"below 0 forgets nothing","hint":"use a strength above 0, such as 0.1"}}`},
		{"a prune is one step", "POST /prune", "POST /prune", `{"only":["merge"]}`, 400, ""},
		{"what deserves a look", "GET /diagnostics", "GET /diagnostics?project=other&limit=1", "", 200, ""},
		{"an invalid limit", "GET /diagnostics", "GET /diagnostics?limit=x", "", 400, ""},
	}
}
