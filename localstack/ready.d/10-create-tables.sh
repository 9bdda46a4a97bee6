#!/bin/sh
# Creates the tables in ../tables, each with its time to live.
#
#   tables/NAME.json   what `singletable export create-table` wrote; the file's name is the table's name
#   tables/NAME.ttl    the attribute that says when an item expires; no such file, no time to live
#
# LocalStack runs this once it is ready. By hand it works with any local engine: AWS_ENDPOINT_URL says which.
# It can be run again: a table that exists is left as it is, even if it differs.
set -eu

tables=$(dirname "$0")/../tables

# A local engine takes any credentials, but there must be some. LocalStack keeps every region's tables apart, and every
# access key's: the application has to use the same two.
export AWS_ACCESS_KEY_ID="${AWS_ACCESS_KEY_ID:-test}"
export AWS_SECRET_ACCESS_KEY="${AWS_SECRET_ACCESS_KEY:-test}"
export AWS_DEFAULT_REGION="${AWS_DEFAULT_REGION:-${AWS_REGION:-us-east-1}}"
export AWS_PAGER=

# Never AWS itself, not even when AWS_ENDPOINT_URL was forgotten.
dynamodb() {
    if command -v awslocal >/dev/null; then
        awslocal dynamodb "$@"
    else
        aws --endpoint-url "${AWS_ENDPOINT_URL:-http://localhost:4566}" dynamodb "$@"
    fi
}

for file in "$tables"/*.json; do
    table=$(basename "$file" .json)

    if dynamodb describe-table --table-name "$table" >/dev/null 2>&1; then
        echo "table $table: exists"
    else
        # Where the question failed for another reason, this fails too, and says why.
        dynamodb create-table --table-name "$table" --cli-input-json "file://$file" >/dev/null
        echo "table $table: created"
    fi
    dynamodb wait table-exists --table-name "$table"

    if [ -f "${file%.json}.ttl" ]; then
        attribute=$(cat "${file%.json}.ttl")
        # Turning on what is on already is an error, so look first.
        state=$(dynamodb describe-time-to-live --table-name "$table" --output text \
            --query "TimeToLiveDescription.join(' ', [TimeToLiveStatus, AttributeName || ''])")
        case $state in
            "ENABLED $attribute" | "ENABLING $attribute") ;;
            *)
                dynamodb update-time-to-live --table-name "$table" \
                    --time-to-live-specification "Enabled=true,AttributeName=$attribute" >/dev/null
                echo "table $table: items expire by $attribute"
                ;;
        esac
    fi
done
