package cli

// demoMemory is one thing the agent of the first session saves.
type demoMemory struct{ typ, title, content string }

// demoQuestion is what the agent of the second session asks, and which memory
// (index into demoMemories) should come first.
type demoQuestion struct {
	text string
	want int
}

// demoMemories is the work of the first session: what an agent learns in an
// afternoon on a small shop.
func demoMemories() []demoMemory {
	return []demoMemory{
		{"decision", "Access tokens live 15 minutes",
			"JWT access tokens expire after 15 minutes; the refresh token lives 14 days in an httpOnly cookie. A stolen laptop must be useless by the next morning, and support can revoke the refresh token."},
		{"decision", "Postgres for orders instead of MySQL",
			"Orders live in Postgres. The partial index on open orders keeps the warehouse screen under 20 ms, and supplier data fits into JSONB without a migration for each supplier."},
		{"bugfix", "N+1 queries in UserList.loadAll",
			"The admin page was slow because UserList.loadAll asked for the roles of each user in a query of its own. It is one JOIN now: 1,900 ms became 40 ms for 800 users."},
		{"bugfix", "A repeated webhook charged customers twice",
			"Stripe sends a webhook again when we answer later than 5 seconds. handleInvoicePaid now keeps the event id in processed_events and ignores what it has seen."},
		{"pattern", "Money is a whole number of cents",
			"Prices and amounts are int64 cents everywhere, with the currency beside them. Floats lost a cent in one of 300 invoices."},
		{"config", "Invoice tests need TZ=UTC",
			"The tests of invoice periods pass on CI and fail on laptops in other time zones: the period is cut at local midnight. Run them with TZ=UTC until the period type carries its zone."},
	}
}

// demoQuestions is what the second session asks, in the words of somebody who was
// not there.
func demoQuestions() []demoQuestion {
	return []demoQuestion{
		{"How long does an access token live before people have to log in again?", 0},
		{"Which database did we choose for the orders, and why?", 1},
		{"Have we ever charged a customer twice?", 3},
		{"Why was the admin page so slow with many users?", 2},
		{"Should a price be a float?", 4},
		{"A test fails on my laptop but not on CI, is it the time zone?", 5},
	}
}
