package secret

// byPrefix returns rules for tokens with a prefix or context that gitleaks does not have.
func byPrefix() []rule {
	return []rule{
		{id: "docker-hub-token", regex: `dckr_(?:pat|oat)_[\w-]{20,60}`, entropy: 3, opens: true, keywords: []string{"dckr_pat_", "dckr_oat_"}},
		{id: "openrouter-api-key", regex: `sk-or-v1-[A-Za-z0-9]{32,80}`, entropy: 3, opens: true, bounded: true, keywords: []string{"sk-or-v1-"}},
		{id: "groq-api-key", regex: `gsk_[A-Za-z0-9]{40,60}`, entropy: 3, opens: true, bounded: true, keywords: []string{"gsk_"}},
		{id: "xai-api-key", regex: `xai-[A-Za-z0-9]{60,100}`, entropy: 3, opens: true, bounded: true, keywords: []string{"xai-"}},
		{id: "nvidia-api-key", regex: `nvapi-[\w-]{50,80}`, entropy: 3, opens: true, bounded: true, keywords: []string{"nvapi-"}},
		{id: "discord-webhook", regex: `discord(?:app)?\.com/api/(?:v\d{1,2}/)?webhooks/\d{15,22}/([\w-]{40,100})`, entropy: 3, opens: true, keywords: []string{"discord.com/api/", "discordapp.com/api/"}},
		// Source: docs.stripe.com/webhooks/signature, and the Standard Webhooks specification.
		{id: "webhook-secret", regex: `whsec_[A-Za-z0-9+/=]{24,88}`, entropy: 3, opens: true, bounded: true, keywords: []string{"whsec_"}},
		{id: "google-oauth-secret", regex: `GOCSPX-[\w-]{28}`, entropy: 3, opens: true, bounded: true, keywords: []string{"gocspx-"}},
		{id: "google-oauth-token", regex: `ya29\.[\w-]{40,1000}`, entropy: 3.5, opens: true, bounded: true, keywords: []string{"ya29."}},
		// gitleaks requires the name of Telegram nearby.
		{id: "telegram-bot-token", regex: `\b\d{8,10}:AA[\w-]{33}`, entropy: 4, keywords: []string{":aa"}},
		{id: "supabase-token", regex: `sbp_(?:v0_)?[a-f0-9]{40}`, entropy: 3, opens: true, bounded: true, keywords: []string{"sbp_"}},
		{id: "figma-token", regex: `fig[dorusp]_[\w-]{38,50}`, entropy: 3.5, opens: true, bounded: true, keywords: []string{"figd_", "figo_", "figr_", "figu_", "figs_", "figp_"}},
		{id: "tailscale-key", regex: `tskey-[a-z]{2,12}-[A-Za-z0-9]{8,24}-[A-Za-z0-9]{16,64}`, entropy: 3, opens: true, bounded: true, keywords: []string{"tskey-"}},
		{id: "netlify-token", regex: `nf[pcou]_[A-Za-z0-9]{36}`, entropy: 3.5, opens: true, bounded: true, keywords: []string{"nfp_", "nfc_", "nfo_", "nfu_"}},
		{id: "replicate-token", regex: `r8_[A-Za-z0-9]{37}`, entropy: 3.5, opens: true, bounded: true, keywords: []string{"r8_"}},
		{id: "notion-token", regex: `ntn_[A-Za-z0-9]{43,50}`, entropy: 3.5, opens: true, bounded: true, keywords: []string{"ntn_"}},
		{id: "new-relic-key", regex: `NRAK-[A-Z0-9]{27}`, entropy: 3, opens: true, bounded: true, keywords: []string{"nrak-"}},
		// A signature grants access to the holder of the URL (Azure Storage, "Create a service
		// SAS").
		{id: "azure-sas", regex: `[?&;]sig=([A-Za-z0-9%+/]{40,100}(?:=|%3[Dd])?)`, entropy: 3.5, keywords: []string{"sig="}, also: []string{"sv="}},
		{id: "sshpass-password", regex: `sshpass\s{1,3}-p\s{0,3}["']?([^\s"'$<{][^\s"']{3,200})`, opens: true, keywords: []string{"sshpass"}, allowed: noPassword()},
	}
}
