module bridle/bench/gitleaks

go 1.26.0

require (
	bridle v0.0.0
	github.com/zricethezav/gitleaks/v8 v8.30.1
)

replace bridle => ../..
