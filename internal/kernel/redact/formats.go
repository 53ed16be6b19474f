package redact

// providers lists the token formats that providers publish: in their manuals,
// or in what they hand in to secret scanning programmes. Prefixes are facts of
// the wire; lengths are generous where a provider reserves longer ones.
var providers = [...]provider{
	// Code hosting and builds.
	{name: "github", kind: KindToken, pattern: "ghp_<w36-251> gho_<w36-251> ghu_<w36-251> ghs_<w36-251> ghr_<w36-251>", check: crc62},
	{name: "github-fine-grained", kind: KindToken, pattern: "github_pat_<s36-255>"},
	{name: "gitlab", kind: KindToken, pattern: "glpat-<v20-300> gldt-<v20-300> glrt-<v20-300> glcbt-<v20-300> glptt-<v20-300> glft-<v20-300> glimt-<v20-300> glagent-<v20-300> gloas-<v20-300> glsoat-<v20-300> glffct-<v20-300> glwt-<v20-300> _gitlab_session=<h32> GR1348941<u20>"},
	{name: "bitbucket", kind: KindToken, pattern: "ATBB<w24-60>"},
	{name: "azure-devops", kind: KindToken, pattern: "<w76>AZDO<w4>"},
	{name: "sourcegraph", kind: KindToken, pattern: "sgp_local_<h40> sgp_<h16>_<h40> sgp_<h40> slk_<h64>"},
	{name: "circleci", kind: KindToken, pattern: "CCIPAT_<w20-26>_<h40> CCIPRJ_<w20-26>_<h40>"},
	{name: "buildkite", kind: KindToken, pattern: "bkua_<h40> bkaj_<u40+> bkct_<u40+> bkpt_<u40+>"},
	{name: "harness", kind: KindToken, pattern: "pat.<u22>.<w24>.<w20> sat.<u22>.<w24>.<w20>"},
	{name: "octopus-deploy", kind: KindAPIKey, pattern: "API-<A25-32>"},
	{name: "sonar", kind: KindToken, pattern: "squ_<h40> sqp_<h40> sqa_<h40>"},
	{name: "jfrog", kind: KindToken, pattern: "AKCp<w60-80> cmVmdGtu<w56>"},
	{name: "mergify", kind: KindAPIKey, pattern: "mka_<u40-80>"},
	{name: "openvsx", kind: KindToken, pattern: "ovsxp_<x36> ovsxat_<x36>"},

	// Package registries.
	{name: "npm", kind: KindToken, pattern: "npm_<w36>", check: crc62},
	{name: "pypi", kind: KindToken, pattern: "pypi-AgEIcHlwaS5vcmc<u50+> pypi-AgENdGVzdC5weXBpLm9yZw<u50+>"},
	{name: "rubygems", kind: KindAPIKey, pattern: "rubygems_<h48>"},
	{name: "crates-io", kind: KindToken, pattern: "cio<w32>"},
	{name: "nuget", kind: KindAPIKey, pattern: "oy2<a43>"},
	{name: "clojars", kind: KindToken, pattern: "CLOJARS_<a60>"},
	{name: "docker-hub", kind: KindToken, pattern: "dckr_pat_<u27-40> dckr_oat_<u27-60>"},
	{name: "deno", kind: KindToken, pattern: "ddp_<w36> ddo_<w36>"},

	// Clouds and hosting.
	{name: "aws-access-key", kind: KindAccessKey, pattern: "AKIA<216> ASIA<216> ABIA<216> ACCA<216>"},
	{name: "aws-bedrock", kind: KindAPIKey, pattern: "ABSK<b100-270> bedrock-api-key-<b40+>"},
	{name: "aws-mws", kind: KindAccessKey, pattern: "amzn.mws.<x36>"},
	{name: "google-api", kind: KindAPIKey, pattern: "AIza<u35>"},
	{name: "google-oauth", kind: KindToken, pattern: "ya29.<v30+> GOCSPX-<u24-40> 1//0<u40-200>"},
	{name: "azure-client-secret", kind: KindCredential, pattern: "<t3-3>7Q~<t31-34> <t3-3>8Q~<t31-34> <t3-3>9Q~<t31-34>"},
	{name: "azure-service-key", kind: KindAPIKey, pattern: "<w42>AzSe<w6> <w44>AzFu<b8> <b40-80>ACDb<b6-12> <b76>+ASt<b8> <b34>+ASb<b6-8> <b34>+AEh<b6-8> <b42>+ACR<b6> <w52>JQQJ9<w27>"},
	{name: "alibaba-cloud", kind: KindAccessKey, pattern: "LTAI<w12-26>"},
	{name: "tencent-cloud", kind: KindAccessKey, pattern: "AKID<w32>"},
	{name: "volcengine", kind: KindAccessKey, pattern: "AKLT<w40-60>"},
	{name: "yandex-cloud", kind: KindAPIKey, pattern: "AQVN<u35-38> t1.<u40+>.<u20+> y0_<u40-80>"},
	{name: "digitalocean", kind: KindToken, pattern: "dop_v1_<h64> doo_v1_<h64> dor_v1_<h64>"},
	{name: "heroku", kind: KindAPIKey, pattern: "HRKU-<u36-80>"},
	{name: "cloudflare", kind: KindAPIKey, pattern: "v1.0-<h24>-<h146> cfut_<w40-60> cfat_<w40-60> cfk_<w40-60>"},
	{name: "fly-io", kind: KindToken, pattern: "fo1_<u43> fm1r_<b100+> fm1a_<b100+> fm2_<b100+>"},
	{name: "netlify", kind: KindToken, pattern: "nfp_<w36-40> nfc_<w36-40> nfo_<w36-40> nfu_<w36-40> nfb_<w36-40>"},
	{name: "vercel", kind: KindToken, pattern: "vcp_<w24-70> vci_<w24-70> vca_<w24-70> vcr_<w24-70> vck_<w24-70> vercel_blob_rw_<s40-80>"},
	{name: "render", kind: KindAPIKey, pattern: "rnd_<w28-40>"},
	{name: "scalingo", kind: KindToken, pattern: "tk-us-<u48>"},
	{name: "scaleway", kind: KindAccessKey, pattern: "SCW<A17>"},
	{name: "aiven", kind: KindConnection, pattern: "AVNS_<u19-24>"},
	{name: "tailscale", kind: KindAPIKey, pattern: "tskey-auth-<x20-80> tskey-api-<x20-80> tskey-client-<x20-80> tskey-scim-<x20-80> tskey-webhook-<x20-80>"},
	{name: "runpod", kind: KindAPIKey, pattern: "rpa_<w40-50>"},

	// Secret stores and infrastructure as code.
	{name: "vault", kind: KindToken, pattern: "hvs.<u24+> hvb.<u24+> hvr.<u24+>"},
	{name: "terraform-cloud", kind: KindToken, pattern: "<w14>.atlasv1.<u60-80>"},
	{name: "doppler", kind: KindToken, pattern: "dp.pt.<w40-44> dp.st.<v40-80> dp.ct.<w40-44> dp.sa.<w40-44> dp.scim.<w40-44> dp.audit.<w40-44> dp.said.<w40-44>"},
	{name: "1password", kind: KindToken, pattern: "ops_eyJ<b250+> A3-<A6>-<A6>-<A5>-<A5>-<A5>-<A5> A3-<A6>-<A11>-<A5>-<A5>-<A5>"},
	{name: "pulumi", kind: KindToken, pattern: "pul-<h40>"},
	{name: "infracost", kind: KindAPIKey, pattern: "ico-<w32>"},
	{name: "age", kind: KindPrivateKey, pattern: "AGE-SECRET-KEY-1<A58>"},
	{name: "infisical", kind: KindToken, pattern: "st.<w16-40>.<h32>.<h32>"},

	// Databases.
	{name: "planetscale", kind: KindToken, pattern: "pscale_tkn_<v32-64> pscale_pw_<v32-64> pscale_oauth_<v32-64>"},
	{name: "supabase", kind: KindToken, pattern: "sbp_<h40> sbp_oauth_<h40> sb_secret_<u22-60>"},
	{name: "neon", kind: KindAPIKey, pattern: "napi_<a60-70> npg_<w12-20>"},
	{name: "mongodb-atlas", kind: KindToken, pattern: "mdb_sa_sk_<u40>"},
	{name: "databricks", kind: KindToken, pattern: "dapi<h32> dapi<h32>-<d1> dkea<h32> dose<h32> dosa<h32>"},
	{name: "confluent", kind: KindAPIKey, pattern: "cflt<b56-64>"},
	{name: "airtable", kind: KindToken, pattern: "pat<w14>.<h64>"},

	// Models and agents.
	{name: "anthropic", kind: KindAPIKey, pattern: "sk-ant-<u24-300>"},
	{name: "openai", kind: KindAPIKey, pattern: "sk-proj-<u20-300> sk-svcacct-<u20-300> sk-admin-<u20-300> sk-None-<u20-300> sess-<w40>"},
	{name: "secret-key", kind: KindAPIKey, pattern: "sk-<w20-120>"},
	{name: "openrouter", kind: KindAPIKey, pattern: "sk-or-v1-<h64>"},
	{name: "langfuse", kind: KindAPIKey, pattern: "sk-lf-<x36>"},
	{name: "hugging-face", kind: KindToken, pattern: "hf_<w30-40> api_org_<w34>"},
	{name: "replicate", kind: KindToken, pattern: "r8_<w37-40>"},
	{name: "groq", kind: KindAPIKey, pattern: "gsk_<w48-60>"},
	{name: "xai", kind: KindAPIKey, pattern: "xai-<w70-90>"},
	{name: "perplexity", kind: KindAPIKey, pattern: "pplx-<w48-56>"},
	{name: "together", kind: KindAPIKey, pattern: "tgp_v1_<u40-50>"},
	{name: "fireworks", kind: KindAPIKey, pattern: "fw_<w22-28>"},
	{name: "langsmith", kind: KindAPIKey, pattern: "lsv2_pt_<h32>_<h10> lsv2_sk_<h32>_<h10>"},
	{name: "pinecone", kind: KindAPIKey, pattern: "pcsk_<w5-8>_<w50-70>"},
	{name: "nvidia", kind: KindAPIKey, pattern: "nvapi-<u60-80>"},
	{name: "tavily", kind: KindAPIKey, pattern: "tvly-<x28-60>"},
	{name: "firecrawl", kind: KindAPIKey, pattern: "fc-<h32>"},
	{name: "elevenlabs", kind: KindAPIKey, pattern: "sk_<h48>"},
	{name: "apify", kind: KindToken, pattern: "apify_api_<w36-40>"},
	{name: "cursor", kind: KindAPIKey, pattern: "crsr_<h64> key_<h64>"},
	{name: "wandb", kind: KindAPIKey, pattern: "wandb_v1_<s60-100>"},
	{name: "modal", kind: KindToken, pattern: "ak-<w22> as-<w22>"},

	// Messages and mail.
	{name: "slack", kind: KindToken, pattern: "xoxb-<x20-250> xoxp-<x20-250> xoxa-<x20-250> xoxr-<x20-250> xoxs-<x20-250> xoxo-<x20-250> xoxc-<x20-250> xoxd-<v20-500> xoxe.xoxp-1-<w100-250> xoxe.xoxb-1-<w100-250> xoxe-1-<w100-250> xoxe-<x20-250> xapp-<x20-250> xwfp-<x20-250>"},
	{name: "slack-webhook", kind: KindToken, pattern: "hooks.slack.com/services/<w9-12>/<w9-12>/<w20-30> hooks.slack.com/workflows/<w9-12>/<w9-14>/<w16-20>/<w20-30>"},
	{name: "discord-webhook", kind: KindToken, pattern: "discord.com/api/webhooks/<d17-20>/<u60-80> discordapp.com/api/webhooks/<d17-20>/<u60-80>"},
	{name: "telegram", kind: KindToken, pattern: "<d8-10>:AA<u33>"},
	{name: "teams-webhook", kind: KindToken, pattern: ".webhook.office.com/webhookb2/<x36>@<x36>/IncomingWebhook/<h32>/<x36>"},
	{name: "twilio", kind: KindAPIKey, pattern: "SK0<h31> SK1<h31> SK2<h31> SK3<h31> SK4<h31> SK5<h31> SK6<h31> SK7<h31> SK8<h31> SK9<h31> SKa<h31> SKb<h31> SKc<h31> SKd<h31> SKe<h31> SKf<h31>"},
	{name: "sendgrid", kind: KindAPIKey, pattern: "SG.<u20-24>.<u39-50>"},
	{name: "mailgun", kind: KindAPIKey, pattern: "key-<h32>"},
	{name: "mailchimp", kind: KindAPIKey, pattern: "<h32>-us<d1-2>"},
	{name: "brevo", kind: KindAPIKey, pattern: "xkeysib-<h64>-<w16> xsmtpsib-<h64>-<w16>"},
	{name: "resend", kind: KindAPIKey, pattern: "re_<w8>_<w24>"},
	{name: "zapier-webhook", kind: KindToken, pattern: "hooks.zapier.com/hooks/catch/<d5-9>/<w6-8>"},

	// Payments and shops.
	{name: "stripe", kind: KindAPIKey, pattern: "sk_live_<s16-250> sk_test_<s16-250> sk_prod_<s16-250> rk_live_<s16-250> rk_test_<s16-250> rk_prod_<s16-250> sk_sbox_<s16-250> whsec_<b32-64>"},
	{name: "square", kind: KindToken, pattern: "sq0atp-<u22> sq0csp-<u43> sq0idp-<u22> EAAA<u56-64>"},
	{name: "braintree", kind: KindToken, pattern: "access_token$production$<a16>$<h32> access_token$sandbox$<a16>$<h32>"},
	{name: "shopify", kind: KindToken, pattern: "shpat_<H32> shpca_<H32> shppa_<H32> shpss_<H32> shptka_<H32> shprt_<H32>"},
	{name: "plaid", kind: KindToken, pattern: "access-sandbox-<x36> access-development-<x36> access-production-<x36>"},
	{name: "flutterwave", kind: KindAPIKey, pattern: "FLWSECK-<x32-40> FLWSECK_TEST-<x12-40>"},
	{name: "razorpay", kind: KindAPIKey, pattern: "rzp_live_<w14> rzp_test_<w14>"},
	{name: "easypost", kind: KindAPIKey, pattern: "EZAK<w54> EZTK<w54>"},
	{name: "shippo", kind: KindToken, pattern: "shippo_live_<h40> shippo_test_<h40>"},
	{name: "duffel", kind: KindToken, pattern: "duffel_test_<v43> duffel_live_<v43>"},
	{name: "lob", kind: KindAPIKey, pattern: "live_<h35> test_<h35>"},
	{name: "polar", kind: KindToken, pattern: "polar_oat_<u40-60> polar_pat_<u40-60>"},
	{name: "adyen", kind: KindAPIKey, pattern: "AQE<b80-300>"},
	{name: "paddle", kind: KindAPIKey, pattern: "pdl_live_apikey_<s40-80> pdl_sdbx_apikey_<s40-80> pdl_ntfset_<s40-80>"},

	// Watching and measuring.
	{name: "new-relic", kind: KindAPIKey, pattern: "NRAK-<A27> NRII-<u32> NRIQ-<u32> NRAA-<h27> <h36>NRAL NRJS-<h19>"},
	{name: "grafana", kind: KindToken, pattern: "glc_<b32-400> glsa_<w32>_<H8> eyJrIjoi<b50-400>"},
	{name: "sentry", kind: KindToken, pattern: "sntrys_<v60-400> sntryu_<h64> sntrya_<h64> sntryi_<h64>"},
	{name: "dynatrace", kind: KindToken, pattern: "dt0c01.<A24>.<A64> dt0s01.<A8>.<A64> dt0s02.<A8>.<A64> dt0s03.<A8>.<A64> dt0s16.<A8>.<A64>"},
	{name: "posthog", kind: KindAPIKey, pattern: "phx_<w40-60> phs_<w40-60>"},
	{name: "rootly", kind: KindAPIKey, pattern: "rootly_<h64>"},
	{name: "honeycomb", kind: KindAPIKey, pattern: "hcaik_<a58> hcbik_<a58> hcamk_<a58>"},
	{name: "samsara", kind: KindToken, pattern: "samsara_api_<w30>"},
	{name: "statsig", kind: KindAPIKey, pattern: "secret-<w40-50> console-<w40-50>"},
	{name: "launchdarkly", kind: KindAPIKey, pattern: "sdk-<x36> api-<x36>"},
	{name: "segment", kind: KindToken, pattern: "sgp_<w64>"},

	// Work and documents.
	{name: "atlassian", kind: KindToken, pattern: "ATATT3<v150-400> ATCTT3<v150-400> ATSTT3<v150-400>"},
	{name: "linear", kind: KindAPIKey, pattern: "lin_api_<w32-48> lin_oauth_<h64> lin_wh_<w32-48>"},
	{name: "notion", kind: KindToken, pattern: "ntn_<w40-50> secret_<w43>"},
	{name: "figma", kind: KindToken, pattern: "figd_<u36-50> figo_<u36-50> figu_<u36-50> figoh_<u36-50>"},
	{name: "postman", kind: KindAPIKey, pattern: "PMAK-<h24>-<h34> PMAT-<A26>"},
	{name: "asana", kind: KindToken, pattern: "0/1<d12-15>:<h32> 1/1<d12-15>:<h32> 2/1<d12-17>/<d12-18>:<h32>"},
	{name: "typeform", kind: KindToken, pattern: "tfp_<v40-64>"},
	{name: "readme", kind: KindAPIKey, pattern: "rdme_<a70>"},
	{name: "contentful", kind: KindToken, pattern: "CFPAT-<u43>"},
	{name: "dropbox", kind: KindToken, pattern: "sl.<u100-2000>"},
	{name: "frame-io", kind: KindToken, pattern: "fio-u-<u64>"},
	{name: "prefect", kind: KindAPIKey, pattern: "pnu_<w36> pnb_<w36>"},
	{name: "clickup", kind: KindToken, pattern: "pk_<d6-9>_<A32>"},
	{name: "hubspot", kind: KindToken, pattern: "pat-na1-<x36> pat-na2-<x36> pat-eu1-<x36> pat-ap1-<x36>"},
	{name: "adobe", kind: KindCredential, pattern: "p8e-<u32>"},
	{name: "adafruit", kind: KindAPIKey, pattern: "aio_<w28>"},
	{name: "facebook", kind: KindToken, pattern: "EAAC<w80-300> EAAB<w80-300> EAAD<w80-300> EAAE<w80-300> EAAF<w80-300> EAAG<w80-300> EAAJ<w80-300> EAAM<w80-300>"},
	{name: "instagram", kind: KindToken, pattern: "IGQV<u100-300> IGAA<u100-300>"},
	{name: "twitter", kind: KindToken, pattern: "AAAAAAAAAAAAAAAAAAAA<t40-120>", check: bearerApp},
	{name: "mapbox", kind: KindToken, pattern: "sk.eyJ<u40-200>.<u20-30>"},
	{name: "intra42", kind: KindCredential, pattern: "s-s4t2ud-<h64> s-s4t2af-<h64>"},
	{name: "stytch", kind: KindCredential, pattern: "secret-live-<v30-50> secret-test-<v30-50>"},
	{name: "onfido", kind: KindToken, pattern: "api_live.<u10-20>.<u30-40> api_sandbox.<u10-20>.<u30-40> api_live_us.<u10-20>.<u30-40>"},
	{name: "persona", kind: KindAPIKey, pattern: "persona_production_<x36> persona_sandbox_<x36>"},
	{name: "wakatime", kind: KindAPIKey, pattern: "waka_<x36>"},
	{name: "zuplo", kind: KindAPIKey, pattern: "zpka_<w32>_<w8>"},
	{name: "unkey", kind: KindAPIKey, pattern: "unkey_<w20-40>"},
	{name: "settlemint", kind: KindToken, pattern: "sm_aat_<w16> sm_pat_<w16> sm_sat_<w16>"},
	{name: "canva", kind: KindCredential, pattern: "cnvca<u48-52>"},
	{name: "lichess", kind: KindToken, pattern: "lip_<w20> lio_<w32>"},
	{name: "nightfall", kind: KindAPIKey, pattern: "NF-<w32-40>"},
}

// crc62 checks the six last characters of a token: the CRC-32 of what is
// between its prefix and them, in base 62. GitHub and npm write it so.
func crc62(token string) verdict {
	body := token[len("ghp_"):]
	if len(body) != 36 {
		return unproven
	}
	if base62(checksum(body[:30])) == body[30:] {
		return proven
	}
	return unproven
}

// checksum is the usual CRC-32 of text, bit by bit: the standard library's makes
// its tables when the program starts, and a token is short.
func checksum(text string) uint32 {
	sum := ^uint32(0)
	for i := range len(text) {
		sum ^= uint32(text[i])
		for range 8 {
			sum = sum>>1 ^ 0xedb88320&-(sum&1)
		}
	}
	return ^sum
}

// base62 writes n in six characters.
func base62(n uint32) string {
	const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	var out [6]byte
	for i := len(out) - 1; i >= 0; i-- {
		out[i] = digits[n%62]
		n /= 62
	}
	return string(out[:])
}

// bearerApp tells an application's bearer token from a run of zero bytes in
// base64, which begins in the same way.
func bearerApp(token string) verdict {
	if distinct(token[20:]) < 16 {
		return refuted
	}
	return proven
}
