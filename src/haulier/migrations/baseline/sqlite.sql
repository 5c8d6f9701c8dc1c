-- The schema of revision 0114 on SQLite. Never change this file: write a new revision instead.

CREATE TABLE job (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER,
    share INTEGER DEFAULT '0' NOT NULL,
    kind VARCHAR(100) NOT NULL,
    args TEXT NOT NULL,
    lane VARCHAR(40) NOT NULL,
    state VARCHAR(10) NOT NULL,
    run_at TEXT NOT NULL,
    attempts INTEGER NOT NULL,
    max_attempts INTEGER NOT NULL,
    lease_until TEXT,
    owner VARCHAR(100),
    last_error TEXT,
    idempotency_key VARCHAR(400),
    progress TEXT,
    created_at TEXT NOT NULL,
    finished_at TEXT,
    CONSTRAINT uq_job_idempotency_key UNIQUE (idempotency_key)
);

CREATE INDEX ix_job_lease ON job (lease_until) WHERE state = 'running';

CREATE INDEX ix_job_share ON job (lane, share, run_at) WHERE state = 'ready';

CREATE INDEX ix_job_finished_at ON job (finished_at);

CREATE INDEX ix_job_due_in_lane ON job (lane, run_at) WHERE state = 'ready';

CREATE TABLE periodic_round (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    task VARCHAR(200) NOT NULL,
    next_at TEXT NOT NULL,
    CONSTRAINT uq_periodic_round_task UNIQUE (task)
);

CREATE TABLE rate_window (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "key" VARCHAR(32) NOT NULL,
    slot BIGINT NOT NULL,
    current_count INTEGER NOT NULL,
    previous_count INTEGER NOT NULL,
    expires_at TEXT NOT NULL,
    CONSTRAINT uq_rate_window_key UNIQUE ("key")
);

CREATE TABLE rate_log (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "key" VARCHAR(32) NOT NULL,
    hits TEXT NOT NULL,
    expires_at TEXT NOT NULL,
    CONSTRAINT uq_rate_log_key UNIQUE ("key")
);

CREATE TABLE sum_entry (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    day DATE NOT NULL,
    customer_id INTEGER NOT NULL,
    driver_id INTEGER NOT NULL,
    contractor_id INTEGER NOT NULL,
    measure VARCHAR(10) NOT NULL,
    status VARCHAR(20) NOT NULL,
    reason VARCHAR(60) NOT NULL,
    currency VARCHAR(3) NOT NULL,
    count INTEGER NOT NULL,
    judged INTEGER NOT NULL,
    on_time INTEGER NOT NULL,
    minor BIGINT NOT NULL
);

CREATE INDEX ix_sum_entry_oldest ON sum_entry (client_id, id);

CREATE TABLE daily_sum (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    dimension VARCHAR(10) NOT NULL,
    day DATE NOT NULL,
    subject_id INTEGER NOT NULL,
    measure VARCHAR(10) NOT NULL,
    status VARCHAR(20) NOT NULL,
    reason VARCHAR(60) NOT NULL,
    currency VARCHAR(3) NOT NULL,
    count INTEGER NOT NULL,
    judged INTEGER NOT NULL,
    on_time INTEGER NOT NULL,
    minor BIGINT NOT NULL,
    CONSTRAINT uq_daily_sum_words UNIQUE (client_id, dimension, day, subject_id, measure, status, reason, currency)
);

CREATE INDEX ix_daily_sum_subject ON daily_sum (client_id, dimension, subject_id, day);

CREATE TABLE depot (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    name VARCHAR(120) NOT NULL,
    address VARCHAR(300) NOT NULL,
    lat FLOAT NOT NULL,
    lng FLOAT NOT NULL,
    closed BOOLEAN NOT NULL,
    created_at TEXT NOT NULL
);

CREATE INDEX ix_depot_client_id ON depot (client_id);

CREATE TABLE custom_field (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    kind VARCHAR(20) NOT NULL,
    name VARCHAR(40) NOT NULL,
    labels TEXT NOT NULL,
    value_schema TEXT NOT NULL,
    required BOOLEAN NOT NULL,
    "default" TEXT,
    filterable BOOLEAN NOT NULL,
    personal BOOLEAN NOT NULL,
    shared_with_partners BOOLEAN NOT NULL,
    visible_to TEXT NOT NULL,
    editable_by TEXT NOT NULL,
    version INTEGER NOT NULL,
    archived BOOLEAN NOT NULL,
    indexing BOOLEAN NOT NULL,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    updated_by INTEGER,
    CONSTRAINT uq_custom_field_client_id_kind_name UNIQUE (client_id, kind, name)
);

CREATE TABLE custom_field_key (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    kind VARCHAR(20) NOT NULL,
    record_id INTEGER NOT NULL,
    field_id INTEGER NOT NULL,
    "key" TEXT NOT NULL,
    personal BOOLEAN NOT NULL,
    CONSTRAINT uq_custom_field_key_client_id_kind_record_id_field_id UNIQUE (client_id, kind, record_id, field_id)
);

CREATE INDEX ix_custom_field_key_found ON custom_field_key (client_id, field_id, "key", record_id);

CREATE TABLE driver (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    user_id INTEGER,
    contractor_id INTEGER,
    name VARCHAR(120) NOT NULL,
    phone VARCHAR(50),
    vehicle VARCHAR(120),
    skills TEXT NOT NULL,
    skill_words VARCHAR(4000) NOT NULL,
    active BOOLEAN NOT NULL,
    custom_fields TEXT,
    created_at TEXT NOT NULL,
    CONSTRAINT uq_driver_client_id_user_id UNIQUE (client_id, user_id)
);

CREATE INDEX ix_driver_client_id_contractor_id ON driver (client_id, contractor_id);

CREATE TABLE driver_document (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    driver_id INTEGER NOT NULL,
    kind VARCHAR(40) NOT NULL,
    title VARCHAR(120),
    number VARCHAR(60),
    issued_on DATE,
    expires_on DATE,
    file_id INTEGER,
    verdict VARCHAR(10) NOT NULL,
    reason VARCHAR(255),
    uploaded_by INTEGER,
    uploaded_at TEXT NOT NULL,
    reviewed_by INTEGER,
    reviewed_at TEXT,
    told_soon_at TEXT,
    told_over_at TEXT
);

CREATE INDEX ix_driver_document_client_id_driver_id ON driver_document (client_id, driver_id);

CREATE INDEX ix_driver_document_client_id_expires_on ON driver_document (client_id, expires_on);

CREATE TABLE driver_policy (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    required TEXT NOT NULL,
    blocks_start BOOLEAN NOT NULL,
    notice_days INTEGER NOT NULL,
    registration_open BOOLEAN NOT NULL,
    CONSTRAINT uq_driver_policy_client_id UNIQUE (client_id)
);

CREATE TABLE driver_skill (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    code VARCHAR(64) NOT NULL,
    name VARCHAR(120) NOT NULL,
    description VARCHAR(500),
    retired_at TEXT,
    created_at TEXT NOT NULL,
    CONSTRAINT uq_driver_skill_client_id_code UNIQUE (client_id, code)
);

CREATE TABLE driver_working_profile (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    driver_id INTEGER NOT NULL,
    shifts TEXT NOT NULL,
    skills TEXT NOT NULL,
    starts_at VARCHAR(10) NOT NULL,
    ends_at VARCHAR(10) NOT NULL,
    home TEXT,
    depot_id INTEGER,
    vehicle_id INTEGER,
    limits TEXT NOT NULL,
    zones TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    updated_by INTEGER,
    CONSTRAINT uq_driver_working_profile_client_id_driver_id UNIQUE (client_id, driver_id)
);

CREATE TABLE vehicle (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    contractor_id INTEGER,
    name VARCHAR(120) NOT NULL,
    plate VARCHAR(20),
    depot_id INTEGER,
    capacity_weight_g BIGINT,
    capacity_volume_cm3 BIGINT,
    capacity_parcels INTEGER,
    skills TEXT NOT NULL,
    skill_words VARCHAR(4000) NOT NULL,
    cost_per_km_minor BIGINT NOT NULL,
    cost_per_hour_minor BIGINT NOT NULL,
    cost_fixed_minor BIGINT NOT NULL,
    speed_percent INTEGER NOT NULL,
    max_stops INTEGER,
    max_distance_m INTEGER,
    max_time_s INTEGER,
    retired_at TEXT,
    created_at TEXT NOT NULL
);

CREATE INDEX ix_vehicle_client_id_contractor_id ON vehicle (client_id, contractor_id);

CREATE TABLE client (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    code VARCHAR(50) NOT NULL,
    name VARCHAR(120) NOT NULL,
    time_zone VARCHAR(64) NOT NULL,
    currency VARCHAR(3) NOT NULL,
    country VARCHAR(2),
    modules TEXT NOT NULL,
    features TEXT NOT NULL,
    settings TEXT NOT NULL,
    created_at TEXT NOT NULL,
    CONSTRAINT uq_client_code UNIQUE (code)
);

CREATE TABLE user_account (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    email VARCHAR(254) NOT NULL,
    name VARCHAR(120) NOT NULL,
    account VARCHAR(20) NOT NULL,
    password_hash VARCHAR(255),
    active BOOLEAN NOT NULL,
    hidden_prices TEXT NOT NULL,
    created_at TEXT NOT NULL,
    CONSTRAINT uq_user_account_email UNIQUE (email)
);

CREATE INDEX ix_user_account_client_id ON user_account (client_id);

CREATE TABLE access_token (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    user_id INTEGER NOT NULL,
    token_sha256 BLOB NOT NULL,
    kind VARCHAR(10) NOT NULL,
    name VARCHAR(191),
    scopes TEXT,
    issued_by INTEGER,
    parent_id INTEGER,
    created_at TEXT NOT NULL,
    expires_at TEXT NOT NULL,
    revoked_at TEXT,
    last_used_at TEXT,
    CONSTRAINT uq_access_token_token_sha256 UNIQUE (token_sha256)
);

CREATE INDEX ix_access_token_user_id ON access_token (user_id);

CREATE INDEX ix_access_token_parent_id ON access_token (parent_id);

CREATE INDEX ix_access_token_client_id ON access_token (client_id);

CREATE TABLE failed_sign_in (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    what_sha256 VARCHAR(64) NOT NULL,
    times INTEGER NOT NULL,
    last_at TEXT NOT NULL,
    CONSTRAINT uq_failed_sign_in_what_sha256 UNIQUE (what_sha256)
);

CREATE INDEX ix_failed_sign_in_last_at ON failed_sign_in (last_at);

CREATE TABLE member (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    user_id INTEGER NOT NULL,
    scopes TEXT,
    role VARCHAR(20),
    language VARCHAR(10),
    time_zone VARCHAR(64),
    phone VARCHAR(20),
    customer_code VARCHAR(40),
    note VARCHAR(500),
    custom_fields TEXT,
    CONSTRAINT uq_member_client_id_customer_code UNIQUE (client_id, customer_code),
    CONSTRAINT uq_member_user_id UNIQUE (user_id)
);

CREATE TABLE invitation (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    user_id INTEGER NOT NULL,
    sent_to VARCHAR(254),
    token_sha256 BLOB,
    invited_by INTEGER,
    invited_at TEXT NOT NULL,
    expires_at TEXT NOT NULL,
    sent_at TEXT,
    accepted_at TEXT,
    withdrawn_at TEXT,
    CONSTRAINT uq_invitation_user_id UNIQUE (user_id),
    CONSTRAINT uq_invitation_token_sha256 UNIQUE (token_sha256)
);

CREATE INDEX ix_invitation_client_id ON invitation (client_id);

CREATE TABLE setup_code (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    slot INTEGER NOT NULL,
    code_sha256 BLOB NOT NULL,
    created_at TEXT NOT NULL,
    used_at TEXT,
    CONSTRAINT uq_setup_code_slot UNIQUE (slot)
);

CREATE TABLE audit_entry (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    owner_client_id BIGINT,
    at TEXT NOT NULL,
    operation VARCHAR(100) NOT NULL,
    user_id BIGINT,
    account VARCHAR(20) NOT NULL,
    door VARCHAR(20) NOT NULL,
    request_id VARCHAR(64) NOT NULL,
    address VARCHAR(64),
    agent VARCHAR(300),
    request TEXT NOT NULL,
    salt VARCHAR(32),
    digest VARCHAR(32)
);

CREATE INDEX ix_audit_entry_owner ON audit_entry (owner_client_id, at);

CREATE TABLE audit_subject (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    entry_id BIGINT NOT NULL,
    owner_client_id BIGINT,
    kind VARCHAR(40) NOT NULL,
    subject_id BIGINT NOT NULL
);

CREATE INDEX ix_audit_subject_subject ON audit_subject (owner_client_id, kind, subject_id);

CREATE INDEX ix_audit_subject_entry_id ON audit_subject (entry_id);

CREATE TABLE sign_in_link (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    user_id INTEGER NOT NULL,
    token_sha256 BLOB NOT NULL,
    made_by INTEGER,
    created_at TEXT NOT NULL,
    expires_at TEXT NOT NULL,
    used_at TEXT,
    revoked_at TEXT,
    CONSTRAINT uq_sign_in_link_token_sha256 UNIQUE (token_sha256)
);

CREATE INDEX ix_sign_in_link_user_id ON sign_in_link (user_id);

CREATE INDEX ix_sign_in_link_client_id ON sign_in_link (client_id);

CREATE TABLE delivery_order (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    order_ref VARCHAR(100),
    tracking_number VARCHAR(64) NOT NULL,
    type VARCHAR(3) NOT NULL,
    status INTEGER NOT NULL,
    fulfilment VARCHAR(20) NOT NULL,
    third_party_held BOOLEAN NOT NULL,
    scheduled_date DATE,
    customer_id BIGINT,
    contractor_id BIGINT,
    driver_id BIGINT,
    route_driver_id BIGINT,
    shipper TEXT,
    consignee TEXT,
    stop_name VARCHAR(200),
    stop_address TEXT,
    stop_city VARCHAR(120),
    stop_postal_code VARCHAR(20),
    lat FLOAT,
    lng FLOAT,
    window_start TEXT,
    window_end TEXT,
    service_time_s INTEGER NOT NULL,
    weight_g BIGINT NOT NULL,
    package_count INTEGER NOT NULL,
    skills TEXT NOT NULL,
    note TEXT,
    delivery_instruction TEXT,
    "references" TEXT NOT NULL,
    cod_minor BIGINT,
    language VARCHAR(10),
    photo_required BOOLEAN DEFAULT 0 NOT NULL,
    pin_required BOOLEAN DEFAULT 0 NOT NULL,
    minimum_age INTEGER,
    price TEXT,
    search TEXT NOT NULL,
    attempts INTEGER DEFAULT '0' NOT NULL,
    attempt_limit INTEGER,
    replaces_order_id BIGINT,
    replaced_by_order_id BIGINT,
    partner_offer_id BIGINT,
    request_digest BLOB,
    counted_day DATE,
    on_time BOOLEAN,
    custom_fields TEXT,
    created_by BIGINT,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    CONSTRAINT uq_delivery_order_client_id_order_ref_customer_id UNIQUE (client_id, order_ref, customer_id),
    CONSTRAINT uq_delivery_order_client_id_tracking_number UNIQUE (client_id, tracking_number)
);

CREATE INDEX ix_delivery_order_driver ON delivery_order (client_id, driver_id, id) WHERE driver_id IS NOT NULL;

CREATE UNIQUE INDEX uq_delivery_order_own_ref ON delivery_order (client_id, order_ref) WHERE customer_id IS NULL;

CREATE INDEX ix_delivery_order_contractor ON delivery_order (client_id, contractor_id, id) WHERE contractor_id IS NOT NULL;

CREATE INDEX ix_delivery_order_newest ON delivery_order (client_id, id);

CREATE INDEX ix_delivery_order_scheduled ON delivery_order (client_id, scheduled_date, id) WHERE scheduled_date IS NOT NULL;

CREATE INDEX ix_delivery_order_customer ON delivery_order (client_id, customer_id, id) WHERE customer_id IS NOT NULL;

CREATE INDEX ix_delivery_order_status ON delivery_order (client_id, status, id);

CREATE TABLE order_package (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    order_id BIGINT NOT NULL,
    tracking_number VARCHAR(64) NOT NULL,
    weight_g INTEGER NOT NULL,
    length_mm INTEGER,
    width_mm INTEGER,
    height_mm INTEGER,
    quantity INTEGER NOT NULL,
    description VARCHAR(200),
    outcome VARCHAR(20),
    custom_fields TEXT,
    CONSTRAINT uq_order_package_client_id_tracking_number UNIQUE (client_id, tracking_number)
);

CREATE INDEX ix_order_package_order_id ON order_package (order_id);

CREATE TABLE order_change (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    order_id BIGINT NOT NULL,
    step VARCHAR(20) NOT NULL,
    status INTEGER NOT NULL,
    at TEXT NOT NULL,
    recorded_at TEXT NOT NULL,
    by_user_id BIGINT,
    reason VARCHAR(255),
    failed_day DATE,
    failure VARCHAR(60),
    driver_id BIGINT,
    contractor_id BIGINT
);

CREATE INDEX ix_order_change_client_id ON order_change (client_id);

CREATE INDEX ix_order_change_order_id ON order_change (order_id);

CREATE TABLE order_piece_exception (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    order_id BIGINT NOT NULL,
    package_id BIGINT NOT NULL,
    piece VARCHAR(64) NOT NULL,
    kind VARCHAR(20) NOT NULL,
    owner_id BIGINT,
    resolution VARCHAR(20),
    note VARCHAR(255),
    created_at TEXT NOT NULL,
    resolved_at TEXT,
    resolved_by BIGINT,
    CONSTRAINT uq_order_piece_exception_client_id_package_id_kind UNIQUE (client_id, package_id, kind)
);

CREATE INDEX ix_order_piece_exception_resolved ON order_piece_exception (client_id, resolved_at, id);

CREATE INDEX ix_order_piece_exception_order_id ON order_piece_exception (order_id);

CREATE TABLE rate_card (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    card TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    CONSTRAINT uq_rate_card_client_id UNIQUE (client_id)
);

CREATE TABLE past_rate_card (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    card TEXT NOT NULL,
    replaced_at TEXT NOT NULL
);

CREATE INDEX ix_past_rate_card_client_id ON past_rate_card (client_id);

CREATE TABLE address (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    name VARCHAR(200) NOT NULL,
    company VARCHAR(200),
    address VARCHAR(200) NOT NULL,
    unit VARCHAR(200),
    city VARCHAR(200) NOT NULL,
    region VARCHAR(200),
    postal_code VARCHAR(20),
    country VARCHAR(2) NOT NULL,
    phone VARCHAR(50),
    email VARCHAR(254),
    lat FLOAT,
    lng FLOAT,
    quality VARCHAR(20),
    access_notes TEXT,
    gate_code VARCHAR(50),
    reference VARCHAR(100),
    default_sender BOOLEAN NOT NULL,
    customer_id BIGINT DEFAULT '0' NOT NULL,
    place_key VARCHAR(32) NOT NULL,
    name_key VARCHAR(200) NOT NULL,
    merged_into_id BIGINT,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    deleted_at TEXT
);

CREATE INDEX ix_address_customer ON address (client_id, customer_id, name, id) WHERE customer_id <> 0;

CREATE INDEX ix_address_name ON address (client_id, name, id);

CREATE INDEX ix_address_place ON address (client_id, place_key, name_key, customer_id) WHERE deleted_at IS NULL;

CREATE UNIQUE INDEX uq_address_reference ON address (client_id, customer_id, reference) WHERE deleted_at IS NULL;

CREATE UNIQUE INDEX uq_address_default_sender ON address (client_id, customer_id) WHERE default_sender AND deleted_at IS NULL;

CREATE TABLE address_words (
    id INTEGER NOT NULL,
    client_id INTEGER NOT NULL,
    words TEXT NOT NULL,
    CONSTRAINT pk_address_words PRIMARY KEY (id)
);

CREATE TABLE address_import (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    file_name VARCHAR(200),
    format VARCHAR(10) NOT NULL,
    mapping TEXT NOT NULL,
    check_only BOOLEAN NOT NULL,
    document BLOB,
    total INTEGER NOT NULL,
    done INTEGER NOT NULL,
    created_by BIGINT,
    created_at TEXT NOT NULL,
    cancelled_at TEXT,
    finished_at TEXT
);

CREATE INDEX ix_address_import_client_id ON address_import (client_id);

CREATE TABLE address_import_row (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    import_id BIGINT NOT NULL,
    number INTEGER NOT NULL,
    state VARCHAR(20) NOT NULL,
    reference VARCHAR(100),
    address_id BIGINT,
    fault TEXT
);

CREATE INDEX ix_address_import_row_state ON address_import_row (client_id, import_id, state);

CREATE INDEX ix_address_import_row_number ON address_import_row (client_id, import_id, number);

CREATE TABLE address_spelling (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    spelling_key VARCHAR(24) NOT NULL,
    word VARCHAR(24) NOT NULL,
    CONSTRAINT uq_address_spelling_client_id_spelling_key_word UNIQUE (client_id, spelling_key, word)
);

CREATE TABLE known_place (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    place_key VARCHAR(32) NOT NULL,
    lat FLOAT NOT NULL,
    lng FLOAT NOT NULL,
    quality VARCHAR(20) NOT NULL,
    source VARCHAR(40) NOT NULL,
    order_id BIGINT,
    learned_at TEXT NOT NULL,
    CONSTRAINT uq_known_place_client_id_place_key UNIQUE (client_id, place_key)
);

CREATE TABLE open_address (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    country VARCHAR(2) NOT NULL,
    region VARCHAR(100),
    city VARCHAR(200) NOT NULL,
    postal_code VARCHAR(20),
    address VARCHAR(200) NOT NULL,
    unit VARCHAR(100),
    lat FLOAT NOT NULL,
    lng FLOAT NOT NULL,
    source VARCHAR(100) NOT NULL,
    code_key VARCHAR(32),
    town_key VARCHAR(32),
    street_code_key VARCHAR(32),
    street_town_key VARCHAR(32),
    words TEXT NOT NULL
);

CREATE INDEX ix_open_address_street_code_key ON open_address (street_code_key);

CREATE INDEX ix_open_address_source ON open_address (source);

CREATE INDEX ix_open_address_street_town_key ON open_address (street_town_key);

CREATE INDEX ix_open_address_code_key ON open_address (code_key);

CREATE INDEX ix_open_address_town_key ON open_address (town_key);

CREATE TABLE open_place (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    kind VARCHAR(20) NOT NULL,
    country VARCHAR(2) NOT NULL,
    "key" VARCHAR(200) NOT NULL,
    name VARCHAR(200) NOT NULL,
    region VARCHAR(100),
    lat FLOAT NOT NULL,
    lng FLOAT NOT NULL,
    population INTEGER NOT NULL,
    source VARCHAR(100) NOT NULL
);

CREATE INDEX ix_open_place_key ON open_place (country, "key");

CREATE INDEX ix_open_place_source ON open_place (source);

CREATE TABLE point_of_interest (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    name VARCHAR(120) NOT NULL,
    name_key VARCHAR(200) NOT NULL,
    category VARCHAR(40) NOT NULL,
    lat FLOAT NOT NULL,
    lng FLOAT NOT NULL,
    x FLOAT NOT NULL,
    y FLOAT NOT NULL,
    z FLOAT NOT NULL,
    cell BIGINT NOT NULL,
    stop_cell BIGINT,
    address VARCHAR(300),
    geometry TEXT,
    opening_hours TEXT,
    stop_radius_m INTEGER NOT NULL,
    access_notes VARCHAR(500),
    source VARCHAR(100),
    reference VARCHAR(100),
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    CONSTRAINT uq_point_of_interest_client_id_reference UNIQUE (client_id, reference)
);

CREATE INDEX ix_point_of_interest_stop_cell ON point_of_interest (client_id, stop_cell);

CREATE INDEX ix_point_of_interest_name ON point_of_interest (client_id, name_key, id);

CREATE INDEX ix_point_of_interest_source_name ON point_of_interest (client_id, source, name_key, id);

CREATE INDEX ix_point_of_interest_category_name ON point_of_interest (client_id, category, name_key, id);

CREATE INDEX ix_point_of_interest_category_cell ON point_of_interest (client_id, category, cell);

CREATE INDEX ix_point_of_interest_cell ON point_of_interest (client_id, cell);

CREATE TABLE zone_map (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    name VARCHAR(120) NOT NULL,
    description VARCHAR(500),
    version INTEGER NOT NULL,
    archived BOOLEAN NOT NULL,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL
);

CREATE INDEX ix_zone_map_client_id ON zone_map (client_id);

CREATE TABLE zone_map_version (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    zone_map_id BIGINT NOT NULL,
    number INTEGER NOT NULL,
    published_at TEXT NOT NULL,
    published_by BIGINT,
    note VARCHAR(500),
    zones INTEGER NOT NULL,
    CONSTRAINT uq_zone_map_version_client_id_zone_map_id_number UNIQUE (client_id, zone_map_id, number)
);

CREATE INDEX ix_zone_map_version_published ON zone_map_version (client_id, published_at);

CREATE TABLE map_zone (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    zone_map_id BIGINT NOT NULL,
    code VARCHAR(80) NOT NULL,
    since INTEGER NOT NULL,
    until INTEGER,
    name VARCHAR(120) NOT NULL,
    rule VARCHAR(30) NOT NULL,
    priority INTEGER NOT NULL,
    colour VARCHAR(7),
    terms TEXT NOT NULL,
    geometry TEXT NOT NULL,
    area_m2 FLOAT NOT NULL,
    west FLOAT NOT NULL,
    south FLOAT NOT NULL,
    east FLOAT NOT NULL,
    north FLOAT NOT NULL,
    digest VARCHAR(32) NOT NULL,
    CONSTRAINT uq_map_zone_client_id_zone_map_id_code_since UNIQUE (client_id, zone_map_id, code, since)
);

CREATE INDEX ix_map_zone_until ON map_zone (client_id, zone_map_id, until);

CREATE INDEX ix_map_zone_since ON map_zone (client_id, zone_map_id, since);

CREATE TABLE tracking_carriage (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    subject_id INTEGER NOT NULL,
    carrier VARCHAR(120) NOT NULL,
    CONSTRAINT uq_tracking_carriage_client_id_subject_id_carrier UNIQUE (client_id, subject_id, carrier)
);

CREATE TABLE tracking_number (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    number VARCHAR(100) NOT NULL,
    number_key VARCHAR(300) NOT NULL,
    owner_client_id INTEGER NOT NULL,
    CONSTRAINT uq_tracking_number_number UNIQUE (number)
);

CREATE INDEX ix_tracking_number_number_key ON tracking_number (number_key);

CREATE TABLE tracking_subject (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    tracking_number VARCHAR(100) NOT NULL,
    number_key VARCHAR(300) DEFAULT '' NOT NULL,
    profile VARCHAR(20) NOT NULL,
    order_id INTEGER,
    order_ref VARCHAR(100),
    package_id INTEGER,
    external_number VARCHAR(100),
    sscc VARCHAR(100),
    customer_id INTEGER,
    contractor_id INTEGER,
    driver_id INTEGER,
    replaced_by VARCHAR(100),
    created_at TEXT NOT NULL,
    CONSTRAINT uq_tracking_subject_client_id_tracking_number UNIQUE (client_id, tracking_number)
);

CREATE INDEX ix_tracking_subject_order ON tracking_subject (client_id, order_id);

CREATE INDEX ix_tracking_subject_ref ON tracking_subject (client_id, order_ref);

CREATE INDEX ix_tracking_subject_key ON tracking_subject (client_id, number_key);

CREATE TABLE tracking_alias (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    number VARCHAR(100) NOT NULL,
    number_key VARCHAR(300) DEFAULT '' NOT NULL,
    subject_id INTEGER NOT NULL,
    CONSTRAINT uq_tracking_alias_client_id_number UNIQUE (client_id, number)
);

CREATE INDEX ix_tracking_alias_subject_id ON tracking_alias (subject_id);

CREATE INDEX ix_tracking_alias_key ON tracking_alias (client_id, number_key);

CREATE TABLE tracking_event (
    client_id INTEGER NOT NULL,
    subject_id INTEGER NOT NULL,
    event_id VARCHAR(40) NOT NULL,
    occurred_at TEXT NOT NULL,
    recorded_at TEXT NOT NULL,
    status_code VARCHAR(60) NOT NULL,
    document TEXT NOT NULL,
    shown TEXT,
    CONSTRAINT pk_tracking_event PRIMARY KEY (subject_id, event_id)
)
 WITHOUT ROWID;

CREATE TABLE tracking_correction (
    client_id INTEGER NOT NULL,
    subject_id INTEGER NOT NULL,
    correction_id VARCHAR(40) NOT NULL,
    recorded_at TEXT NOT NULL,
    document TEXT NOT NULL,
    CONSTRAINT pk_tracking_correction PRIMARY KEY (subject_id, correction_id)
)
 WITHOUT ROWID;

CREATE TABLE provider_key (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    name VARCHAR(120) NOT NULL,
    token_sha256 BLOB NOT NULL,
    source_type VARCHAR(20) NOT NULL,
    carriers TEXT NOT NULL,
    per_minute INTEGER NOT NULL,
    issued_by INTEGER,
    set_up_by INTEGER,
    set_up_with INTEGER,
    created_at TEXT NOT NULL,
    last_used_at TEXT,
    revoked_at TEXT,
    suspended_at TEXT,
    suspended_reason VARCHAR(20),
    signature_scheme VARCHAR(20),
    sealed_signing_key TEXT,
    CONSTRAINT uq_provider_key_token_sha256 UNIQUE (token_sha256)
);

CREATE INDEX ix_provider_key_client_id ON provider_key (client_id);

CREATE TABLE tracking_carrier_message (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    push_id VARCHAR(32) NOT NULL,
    origin VARCHAR(10) NOT NULL,
    sender VARCHAR(40) NOT NULL,
    carrier VARCHAR(120) NOT NULL,
    provider_id INTEGER,
    tracking_number VARCHAR(100) NOT NULL,
    status VARCHAR(10) NOT NULL,
    received_at TEXT NOT NULL,
    reasons TEXT NOT NULL,
    document TEXT NOT NULL,
    replays INTEGER NOT NULL,
    replayed_at TEXT,
    replayed_by INTEGER,
    applied_at TEXT,
    CONSTRAINT uq_tracking_carrier_message_client_id_push_id UNIQUE (client_id, push_id)
);

CREATE INDEX ix_tracking_carrier_message_status ON tracking_carrier_message (client_id, status, id);

CREATE INDEX ix_tracking_carrier_message_number ON tracking_carrier_message (client_id, tracking_number, id);

CREATE INDEX ix_tracking_carrier_message_at ON tracking_carrier_message (received_at);

CREATE TABLE tracking_refused_push (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    provider_id INTEGER NOT NULL,
    push_id VARCHAR(32) NOT NULL,
    path VARCHAR(200) NOT NULL,
    pushed_at TEXT NOT NULL,
    refused_at TEXT NOT NULL,
    tracking_number VARCHAR(100) NOT NULL,
    reference TEXT,
    status_code VARCHAR(60) NOT NULL,
    occurred_at TEXT NOT NULL,
    reasons TEXT NOT NULL,
    CONSTRAINT uq_tracking_refused_push_client_id_push_id_path UNIQUE (client_id, push_id, path)
);

CREATE INDEX ix_tracking_refused_push_newest ON tracking_refused_push (client_id, id);

CREATE INDEX ix_tracking_refused_push_at ON tracking_refused_push (refused_at);

CREATE INDEX ix_tracking_refused_push_provider ON tracking_refused_push (client_id, provider_id, id);

CREATE INDEX ix_tracking_refused_push_number ON tracking_refused_push (client_id, tracking_number, id);

CREATE TABLE delivery_pin (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    order_id INTEGER NOT NULL,
    pin VARCHAR(4) NOT NULL,
    wrong_tries INTEGER NOT NULL,
    CONSTRAINT uq_delivery_pin_client_id_order_id UNIQUE (client_id, order_id)
);

CREATE TABLE stored_file (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    media_type VARCHAR(40) NOT NULL,
    size_bytes INTEGER NOT NULL,
    sha256 VARCHAR(64) NOT NULL,
    name VARCHAR(200),
    about_kind VARCHAR(40) NOT NULL,
    about_id INTEGER NOT NULL,
    uploaded_by INTEGER,
    created_at TEXT NOT NULL,
    shipped_at TEXT,
    original_sha256 VARCHAR(64)
);

CREATE INDEX ix_stored_file_client_id_about_kind_about_id ON stored_file (client_id, about_kind, about_id);

CREATE TABLE file_content (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    file_id INTEGER NOT NULL,
    content BLOB NOT NULL,
    CONSTRAINT uq_file_content_client_id_file_id UNIQUE (client_id, file_id)
);

CREATE TABLE issued_document (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    number VARCHAR(20) NOT NULL,
    kind VARCHAR(30) NOT NULL,
    issuer VARCHAR(120) NOT NULL,
    language VARCHAR(10) NOT NULL,
    state VARCHAR(10) NOT NULL,
    subject VARCHAR(20) NOT NULL,
    route_id INTEGER,
    manifest_id INTEGER,
    invoice_id INTEGER,
    done INTEGER NOT NULL,
    total INTEGER NOT NULL,
    failure VARCHAR(60),
    pages INTEGER,
    size_bytes INTEGER,
    sha256 VARCHAR(64),
    certificate VARCHAR(64),
    file_id INTEGER,
    issued_by INTEGER,
    created_at TEXT NOT NULL,
    issued_at TEXT,
    revoked_at TEXT,
    revoked_by INTEGER,
    revoke_reason VARCHAR(20),
    CONSTRAINT uq_issued_document_number UNIQUE (number),
    CONSTRAINT uq_issued_document_sha256 UNIQUE (sha256)
);

CREATE INDEX ix_issued_document_client_id_id ON issued_document (client_id, id);

CREATE TABLE issued_document_order (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    document_id INTEGER NOT NULL,
    position INTEGER NOT NULL,
    order_id INTEGER NOT NULL,
    CONSTRAINT uq_issued_document_order_client_id_document_id_position UNIQUE (client_id, document_id, position)
);

CREATE INDEX ix_issued_document_order_client_id_order_id_document_id ON issued_document_order (client_id, order_id, document_id);

CREATE TABLE issued_document_shipment (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    document_id INTEGER NOT NULL,
    position INTEGER NOT NULL,
    shipment_id INTEGER NOT NULL,
    CONSTRAINT uq_issued_document_shipment_client_id_document_id_position UNIQUE (client_id, document_id, position)
);

CREATE INDEX ix_issued_document_shipment_client_id_shipment_id_document_id ON issued_document_shipment (client_id, shipment_id, document_id);

CREATE TABLE signing_certificate (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    fingerprint VARCHAR(64) NOT NULL,
    certificate TEXT NOT NULL,
    sealed_key TEXT,
    valid_until TEXT NOT NULL,
    created_at TEXT NOT NULL,
    retired_at TEXT,
    CONSTRAINT uq_signing_certificate_fingerprint UNIQUE (fingerprint)
);

CREATE TABLE redelivery_policy (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    max_attempts INTEGER NOT NULL,
    changed_at TEXT NOT NULL,
    CONSTRAINT uq_redelivery_policy_client_id UNIQUE (client_id)
);

CREATE TABLE return_reason (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    code VARCHAR(40) NOT NULL,
    texts TEXT NOT NULL,
    otep_reason VARCHAR(40) NOT NULL,
    asks_photo BOOLEAN NOT NULL,
    asks_note BOOLEAN NOT NULL,
    next_step VARCHAR(10) NOT NULL,
    active BOOLEAN NOT NULL,
    position INTEGER NOT NULL,
    CONSTRAINT uq_return_reason_client_id_code UNIQUE (client_id, code)
);

CREATE TABLE invoicing_setting (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    invoice_prefix VARCHAR(12) NOT NULL,
    credit_note_prefix VARCHAR(12) NOT NULL,
    issuer_lines TEXT NOT NULL,
    tax_name VARCHAR(40) NOT NULL,
    tax_rate_bp INTEGER NOT NULL,
    payment_terms_days INTEGER NOT NULL,
    payment_instructions VARCHAR(500) NOT NULL,
    dunning TEXT NOT NULL,
    invoices INTEGER NOT NULL,
    credit_notes INTEGER NOT NULL,
    updated_at TEXT NOT NULL,
    CONSTRAINT uq_invoicing_setting_client_id UNIQUE (client_id)
);

CREATE TABLE billing_terms (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    customer_id INTEGER NOT NULL,
    period VARCHAR(10),
    currency VARCHAR(3) NOT NULL,
    payment_terms_days INTEGER,
    tax_rate_bp INTEGER,
    billing_name VARCHAR(120) NOT NULL,
    address_lines TEXT NOT NULL,
    email VARCHAR(254),
    dunning BOOLEAN NOT NULL,
    next_invoice_on DATE,
    updated_at TEXT NOT NULL,
    CONSTRAINT uq_billing_terms_client_id_customer_id UNIQUE (client_id, customer_id)
);

CREATE INDEX ix_billing_terms_next ON billing_terms (client_id, next_invoice_on);

CREATE TABLE invoice (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    number VARCHAR(24) NOT NULL,
    kind VARCHAR(12) NOT NULL,
    status VARCHAR(10) NOT NULL,
    customer_id INTEGER NOT NULL,
    currency VARCHAR(3) NOT NULL,
    issued_on DATE NOT NULL,
    due_on DATE NOT NULL,
    until DATE NOT NULL,
    last_seq BIGINT,
    total_minor BIGINT NOT NULL,
    tax_minor BIGINT NOT NULL,
    covered_minor BIGINT NOT NULL,
    paid_minor BIGINT NOT NULL,
    credited_minor BIGINT NOT NULL,
    tax_name VARCHAR(40) NOT NULL,
    tax_rate_bp INTEGER NOT NULL,
    price_families TEXT NOT NULL,
    billing_name VARCHAR(120) NOT NULL,
    address_lines TEXT NOT NULL,
    issuer_lines TEXT NOT NULL,
    payment_instructions VARCHAR(500) NOT NULL,
    refers_to INTEGER,
    reason VARCHAR(255),
    dunning BOOLEAN NOT NULL,
    dunning_level SMALLINT NOT NULL,
    document_id INTEGER,
    sent_at TEXT,
    paid_at TEXT,
    voided_at TEXT,
    created_at TEXT NOT NULL,
    created_by INTEGER,
    CONSTRAINT uq_invoice_client_id_kind_number UNIQUE (client_id, kind, number),
    CONSTRAINT ck_invoice_amount CHECK (total_minor > 0 AND credited_minor BETWEEN 0 AND total_minor)
);

CREATE INDEX ix_invoice_status ON invoice (client_id, status, dunning_level, due_on);

CREATE INDEX ix_invoice_customer ON invoice (client_id, customer_id, id);

CREATE TABLE invoice_line (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    invoice_id INTEGER NOT NULL,
    position INTEGER NOT NULL,
    transfer_id INTEGER,
    charge_id INTEGER,
    kind VARCHAR(20) NOT NULL,
    at TEXT NOT NULL,
    amount_minor BIGINT NOT NULL,
    subject_kind VARCHAR(30),
    subject_id INTEGER,
    price_family VARCHAR(20),
    reason VARCHAR(255),
    CONSTRAINT uq_invoice_line_client_id_invoice_id_position UNIQUE (client_id, invoice_id, position)
);

CREATE INDEX ix_invoice_line_transfer ON invoice_line (client_id, transfer_id);

CREATE TABLE dunning_letter (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    invoice_id INTEGER NOT NULL,
    level SMALLINT NOT NULL,
    days_overdue INTEGER NOT NULL,
    fee_minor BIGINT NOT NULL,
    written_at TEXT NOT NULL,
    CONSTRAINT uq_dunning_letter_client_id_invoice_id_level UNIQUE (client_id, invoice_id, level)
);

CREATE TABLE ledger_account (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    kind VARCHAR(20) NOT NULL,
    owner_id INTEGER NOT NULL,
    currency VARCHAR(3) NOT NULL,
    shard SMALLINT NOT NULL,
    balance_minor BIGINT NOT NULL,
    held_minor BIGINT NOT NULL,
    floor_minor BIGINT,
    seq BIGINT NOT NULL,
    booked_at TEXT NOT NULL,
    CONSTRAINT uq_ledger_account_client_id_kind_owner_id_currency_shard UNIQUE (client_id, kind, owner_id, currency, shard),
    CONSTRAINT ck_ledger_account_floor CHECK (balance_minor - held_minor >= floor_minor),
    CONSTRAINT ck_ledger_account_held CHECK (held_minor >= 0)
);

CREATE TABLE ledger_transfer (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    "key" VARCHAR(120) NOT NULL,
    digest BLOB NOT NULL,
    kind VARCHAR(20) NOT NULL,
    debit_account_id INTEGER NOT NULL,
    credit_account_id INTEGER NOT NULL,
    amount_minor BIGINT NOT NULL,
    currency VARCHAR(3) NOT NULL,
    subject_kind VARCHAR(30),
    subject_id INTEGER,
    price_family VARCHAR(20),
    reason VARCHAR(255),
    refund_of INTEGER,
    hold_id INTEGER,
    given_back_minor BIGINT DEFAULT '0' NOT NULL,
    at TEXT NOT NULL,
    by_user_id INTEGER,
    CONSTRAINT uq_ledger_transfer_client_id_key UNIQUE (client_id, "key"),
    CONSTRAINT uq_ledger_transfer_client_id_hold_id UNIQUE (client_id, hold_id),
    CONSTRAINT ck_ledger_transfer_amount CHECK (amount_minor > 0),
    CONSTRAINT ck_ledger_transfer_given_back CHECK (given_back_minor BETWEEN 0 AND amount_minor)
);

CREATE INDEX ix_ledger_transfer_client_id_refund_of ON ledger_transfer (client_id, refund_of);

CREATE INDEX ix_ledger_transfer_client_id_subject_kind_subject_id ON ledger_transfer (client_id, subject_kind, subject_id);

CREATE INDEX ix_ledger_transfer_client_id_kind_id ON ledger_transfer (client_id, kind, id);

CREATE TABLE ledger_entry (
    client_id INTEGER NOT NULL,
    account_id INTEGER NOT NULL,
    seq BIGINT NOT NULL,
    transfer_id INTEGER NOT NULL,
    amount_minor BIGINT NOT NULL,
    balance_minor BIGINT NOT NULL,
    at TEXT NOT NULL,
    CONSTRAINT pk_ledger_entry PRIMARY KEY (account_id, seq)
)
 WITHOUT ROWID;

CREATE INDEX ix_ledger_entry_client_id_account_id_at_seq ON ledger_entry (client_id, account_id, at, seq);

CREATE TABLE ledger_hold (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    "key" VARCHAR(120) NOT NULL,
    digest BLOB NOT NULL,
    customer_id INTEGER NOT NULL,
    amount_minor BIGINT NOT NULL,
    currency VARCHAR(3) NOT NULL,
    status VARCHAR(10) NOT NULL,
    captured_minor BIGINT NOT NULL,
    subject_kind VARCHAR(30),
    subject_id INTEGER,
    price_family VARCHAR(20),
    expires_at TEXT,
    at TEXT NOT NULL,
    ended_at TEXT,
    CONSTRAINT uq_ledger_hold_client_id_key UNIQUE (client_id, "key"),
    CONSTRAINT ck_ledger_hold_amount CHECK (amount_minor > 0 AND captured_minor BETWEEN 0 AND amount_minor)
);

CREATE INDEX ix_ledger_hold_client_id_customer_id_status ON ledger_hold (client_id, customer_id, status);

CREATE TABLE service (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    code VARCHAR(40) NOT NULL,
    kind VARCHAR(20) NOT NULL,
    name VARCHAR(120) NOT NULL,
    description VARCHAR(500) NOT NULL,
    form TEXT NOT NULL,
    pricing TEXT NOT NULL,
    currency VARCHAR(3) NOT NULL,
    quote_hours INTEGER NOT NULL,
    fulfilment TEXT NOT NULL,
    carrier_account_id INTEGER,
    carrier_service VARCHAR(60),
    enabled BOOLEAN NOT NULL,
    position INTEGER NOT NULL,
    used BOOLEAN NOT NULL,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    updated_by INTEGER,
    CONSTRAINT uq_service_client_id_code UNIQUE (client_id, code)
);

CREATE TABLE service_quote (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    service_id INTEGER NOT NULL,
    customer_id INTEGER,
    "values" TEXT NOT NULL,
    details TEXT NOT NULL,
    price TEXT NOT NULL,
    created_at TEXT NOT NULL,
    expires_at TEXT NOT NULL,
    taken_at TEXT
);

CREATE INDEX ix_service_quote_client_id_service_id_expires_at ON service_quote (client_id, service_id, expires_at);

CREATE INDEX ix_service_quote_client_id_created_at ON service_quote (client_id, created_at);

CREATE TABLE cod_entry (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    entry_key VARCHAR(80),
    kind VARCHAR(12) NOT NULL,
    order_id INTEGER,
    stop_id INTEGER,
    customer_id INTEGER,
    contractor_id INTEGER,
    driver_id INTEGER,
    day DATE NOT NULL,
    method VARCHAR(10),
    amount_minor BIGINT NOT NULL,
    currency VARCHAR(3) NOT NULL,
    reason VARCHAR(255),
    reverses_id INTEGER,
    at TEXT NOT NULL,
    recorded_at TEXT NOT NULL,
    by_user_id INTEGER,
    CONSTRAINT uq_cod_entry_client_id_entry_key UNIQUE (client_id, entry_key),
    CONSTRAINT uq_cod_entry_client_id_reverses_id UNIQUE (client_id, reverses_id)
);

CREATE INDEX ix_cod_entry_client_id_kind_day ON cod_entry (client_id, kind, day);

CREATE INDEX ix_cod_entry_client_id_driver_id_day ON cod_entry (client_id, driver_id, day);

CREATE INDEX ix_cod_entry_client_id_order_id ON cod_entry (client_id, order_id);

CREATE TABLE pay_rate (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    payee_kind VARCHAR(10) NOT NULL,
    payee_id INTEGER,
    valid_from DATE NOT NULL,
    valid_to DATE,
    per_route_minor BIGINT NOT NULL,
    per_stop_minor BIGINT NOT NULL,
    per_failed_stop_minor BIGINT NOT NULL,
    per_km_minor BIGINT NOT NULL,
    currency VARCHAR(3) NOT NULL,
    created_at TEXT NOT NULL,
    created_by INTEGER
);

CREATE INDEX ix_pay_rate_client_id_payee_kind_payee_id ON pay_rate (client_id, payee_kind, payee_id);

CREATE TABLE earning (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    earning_key VARCHAR(80),
    payee_kind VARCHAR(10) NOT NULL,
    payee_id INTEGER NOT NULL,
    kind VARCHAR(12) NOT NULL,
    day DATE NOT NULL,
    route_id INTEGER,
    stop_id INTEGER,
    order_id INTEGER,
    rate_id INTEGER,
    quantity BIGINT NOT NULL,
    rate_minor BIGINT NOT NULL,
    amount_minor BIGINT NOT NULL,
    currency VARCHAR(3) NOT NULL,
    reason VARCHAR(255),
    corrects_id INTEGER,
    at TEXT NOT NULL,
    recorded_at TEXT NOT NULL,
    by_user_id INTEGER,
    CONSTRAINT uq_earning_client_id_earning_key UNIQUE (client_id, earning_key),
    CONSTRAINT uq_earning_client_id_corrects_id UNIQUE (client_id, corrects_id)
);

CREATE INDEX ix_earning_client_id_payee_kind_payee_id_day ON earning (client_id, payee_kind, payee_id, day);

CREATE INDEX ix_earning_client_id_day ON earning (client_id, day);

CREATE TABLE sms_marketing_setting (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    endpoint_key VARCHAR(60) NOT NULL,
    business_name VARCHAR(40) NOT NULL,
    help_contact VARCHAR(80) NOT NULL,
    quiet_from VARCHAR(8),
    quiet_until VARCHAR(8),
    throttle_per_minute INTEGER NOT NULL,
    daily_cap INTEGER NOT NULL,
    contact_daily_cap INTEGER NOT NULL,
    segment_prices TEXT NOT NULL,
    default_segment_price INTEGER NOT NULL,
    currency VARCHAR(3) NOT NULL,
    us_registration VARCHAR(40),
    updated_at TEXT NOT NULL,
    CONSTRAINT uq_sms_marketing_setting_client_id UNIQUE (client_id),
    CONSTRAINT uq_sms_marketing_setting_endpoint_key UNIQUE (endpoint_key)
);

CREATE TABLE sms_contact (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    phone VARCHAR(20) NOT NULL,
    number_key VARCHAR(32) NOT NULL,
    country VARCHAR(2) NOT NULL,
    name VARCHAR(120),
    language VARCHAR(10) NOT NULL,
    time_zone VARCHAR(64),
    tags TEXT NOT NULL,
    tag_words VARCHAR(2000) NOT NULL,
    variables TEXT NOT NULL,
    source VARCHAR(120),
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    CONSTRAINT uq_sms_contact_client_id_number_key UNIQUE (client_id, number_key)
);

CREATE TABLE sms_consent (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    phone VARCHAR(20) NOT NULL,
    number_key VARCHAR(32) NOT NULL,
    granted BOOLEAN NOT NULL,
    purpose VARCHAR(20) NOT NULL,
    basis VARCHAR(20),
    consent_key VARCHAR(60),
    method VARCHAR(20) NOT NULL,
    wording VARCHAR(1000),
    source VARCHAR(120),
    proof TEXT NOT NULL,
    occurred_at TEXT NOT NULL,
    expires_at TEXT,
    recorded_at TEXT NOT NULL,
    recorded_by INTEGER
);

CREATE INDEX ix_sms_consent_number ON sms_consent (client_id, number_key, purpose, granted, occurred_at);

CREATE TABLE sms_suppression (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    phone VARCHAR(20) NOT NULL,
    number_key VARCHAR(32) NOT NULL,
    list VARCHAR(20) NOT NULL,
    reason VARCHAR(20) NOT NULL,
    note VARCHAR(255),
    added_at TEXT NOT NULL,
    added_by INTEGER,
    lifted_at TEXT,
    lifted_by INTEGER,
    lift_reason VARCHAR(255)
);

CREATE INDEX ix_sms_suppression_added ON sms_suppression (client_id, id);

CREATE UNIQUE INDEX uq_sms_suppression_in_force ON sms_suppression (client_id, number_key, list, reason) WHERE lifted_at IS NULL;

CREATE TABLE sms_template (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    name VARCHAR(120) NOT NULL,
    purpose VARCHAR(20) NOT NULL,
    texts TEXT NOT NULL,
    language VARCHAR(10) NOT NULL,
    updated_at TEXT NOT NULL,
    CONSTRAINT uq_sms_template_client_id_name UNIQUE (client_id, name)
);

CREATE TABLE sms_segment (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    name VARCHAR(120) NOT NULL,
    rules TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    CONSTRAINT uq_sms_segment_client_id_name UNIQUE (client_id, name)
);

CREATE TABLE sms_campaign (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    name VARCHAR(120) NOT NULL,
    purpose VARCHAR(20) NOT NULL,
    status VARCHAR(20) NOT NULL,
    segment_id BIGINT,
    rules TEXT,
    variants TEXT NOT NULL,
    link_url VARCHAR(1000),
    starts_at TEXT,
    cost_cap_micros BIGINT,
    pause_reason VARCHAR(30),
    round INTEGER NOT NULL,
    next_look_at TEXT,
    places TEXT NOT NULL,
    prepared_until BIGINT,
    prepared INTEGER NOT NULL,
    test TEXT,
    test_until TEXT,
    winner VARCHAR(1),
    winner_by VARCHAR(10),
    winner_at TEXT,
    created_by INTEGER,
    created_at TEXT NOT NULL,
    scheduled_by INTEGER,
    begun_at TEXT,
    finished_at TEXT
);

CREATE INDEX ix_sms_campaign_status ON sms_campaign (client_id, status, starts_at);

CREATE TABLE sms_message (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    campaign_id BIGINT,
    position INTEGER NOT NULL,
    contact_id BIGINT NOT NULL,
    phone VARCHAR(20) NOT NULL,
    number_key VARCHAR(32) NOT NULL,
    country VARCHAR(2) NOT NULL,
    place VARCHAR(70) NOT NULL,
    purpose VARCHAR(20) NOT NULL,
    variant VARCHAR(1),
    text VARCHAR(1600) NOT NULL,
    segments INTEGER NOT NULL,
    cost_micros BIGINT NOT NULL,
    link_key VARCHAR(8),
    state VARCHAR(20) NOT NULL,
    reason VARCHAR(40),
    provider_ref VARCHAR(100),
    claimed_at TEXT,
    sent_at TEXT,
    settled_at TEXT,
    clicks INTEGER NOT NULL,
    clicked_at TEXT,
    opted_out_at TEXT,
    created_at TEXT NOT NULL,
    CONSTRAINT uq_sms_message_client_id_campaign_id_number_key UNIQUE (client_id, campaign_id, number_key)
);

CREATE INDEX ix_sms_message_reference ON sms_message (client_id, provider_ref);

CREATE INDEX ix_sms_message_fate ON sms_message (client_id, campaign_id, state, position);

CREATE INDEX ix_sms_message_number ON sms_message (client_id, number_key, claimed_at);

CREATE INDEX ix_sms_message_claimed ON sms_message (client_id, claimed_at);

CREATE TABLE sms_reply (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    phone VARCHAR(20) NOT NULL,
    number_key VARCHAR(32) NOT NULL,
    contact_id BIGINT,
    campaign_id BIGINT,
    text TEXT NOT NULL,
    meaning VARCHAR(20) NOT NULL,
    provider_ref VARCHAR(100) NOT NULL,
    received_at TEXT NOT NULL,
    needs_person BOOLEAN NOT NULL,
    resolution VARCHAR(20),
    resolved_at TEXT,
    resolved_by INTEGER,
    CONSTRAINT uq_sms_reply_client_id_provider_ref UNIQUE (client_id, provider_ref)
);

CREATE INDEX ix_sms_reply_open ON sms_reply (client_id, needs_person, id);

CREATE TABLE sms_contact_import (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    kind VARCHAR(30) NOT NULL,
    rows INTEGER NOT NULL,
    check_only BOOLEAN DEFAULT 0 NOT NULL,
    encoding VARCHAR(30),
    created_by BIGINT,
    created_at TEXT NOT NULL,
    cancelled_at TEXT,
    finished_at TEXT,
    consent TEXT
);

CREATE INDEX ix_sms_contact_import_finished ON sms_contact_import (client_id, finished_at);

CREATE TABLE sms_contact_import_row (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    import_id BIGINT NOT NULL,
    number INTEGER NOT NULL,
    document TEXT NOT NULL,
    state VARCHAR(20) NOT NULL,
    record VARCHAR(100),
    fault TEXT
);

CREATE INDEX ix_sms_contact_import_row_state ON sms_contact_import_row (client_id, import_id, state, number);

CREATE TABLE channel_ticket (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    username VARCHAR(64) NOT NULL,
    password_sha256 BLOB NOT NULL,
    about VARCHAR(20) NOT NULL,
    about_id INTEGER NOT NULL,
    holder VARCHAR(40) NOT NULL,
    set_up_by INTEGER,
    set_up_with INTEGER,
    subscribe TEXT NOT NULL,
    publish TEXT NOT NULL,
    connection VARCHAR(200),
    created_at TEXT NOT NULL,
    expires_at TEXT NOT NULL,
    revoked_at TEXT,
    CONSTRAINT uq_channel_ticket_username UNIQUE (username)
);

CREATE INDEX ix_channel_ticket_about ON channel_ticket (client_id, about, about_id);

CREATE INDEX ix_channel_ticket_expires_at ON channel_ticket (expires_at);

CREATE TABLE sms_account (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    provider VARCHAR(20) NOT NULL,
    account VARCHAR(64) NOT NULL,
    sender VARCHAR(64) NOT NULL,
    sealed_secret TEXT NOT NULL,
    set_by INTEGER,
    set_at TEXT NOT NULL,
    worked_at TEXT,
    failed_at TEXT,
    fault VARCHAR(40),
    keeper VARCHAR(32),
    kept_until TEXT,
    CONSTRAINT uq_sms_account_client_id UNIQUE (client_id)
);

CREATE TABLE carrier_account (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    carrier VARCHAR(30) NOT NULL,
    name VARCHAR(120) NOT NULL,
    active BOOLEAN NOT NULL,
    is_default BOOLEAN NOT NULL,
    test_mode BOOLEAN NOT NULL,
    sealed_credentials TEXT,
    credential_names TEXT NOT NULL,
    services_off TEXT NOT NULL,
    markup_basis_points INTEGER NOT NULL,
    markup_minor INTEGER NOT NULL,
    sender TEXT,
    tariff TEXT,
    tested_at TEXT,
    test_fault VARCHAR(300),
    created_by INTEGER,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    deleted_at TEXT
);

CREATE UNIQUE INDEX uq_carrier_account_name ON carrier_account (client_id, name) WHERE deleted_at IS NULL;

CREATE INDEX ix_carrier_account_client_id ON carrier_account (client_id);

CREATE UNIQUE INDEX uq_carrier_account_default ON carrier_account (client_id, is_default) WHERE is_default AND deleted_at IS NULL;

CREATE TABLE shipping_quote (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    customer_id INTEGER,
    shipment TEXT NOT NULL,
    offers TEXT NOT NULL,
    created_at TEXT NOT NULL,
    expires_at TEXT NOT NULL
);

CREATE INDEX ix_shipping_quote_created ON shipping_quote (created_at);

CREATE INDEX ix_shipping_quote_client_id ON shipping_quote (client_id);

CREATE TABLE shipment (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    state VARCHAR(20) NOT NULL,
    reference VARCHAR(35) NOT NULL,
    claim_key VARCHAR(160),
    order_ref VARCHAR(100),
    customer_id INTEGER,
    account_id INTEGER,
    carrier VARCHAR(30),
    service VARCHAR(60),
    service_name VARCHAR(120),
    label_format VARCHAR(5) NOT NULL,
    terms TEXT NOT NULL,
    offer TEXT,
    origin VARCHAR(64),
    consignee_name VARCHAR(200) NOT NULL,
    consignee_email VARCHAR(254),
    consignee_phone VARCHAR(50),
    ship_date DATE NOT NULL,
    price_minor BIGINT,
    cost_minor BIGINT,
    currency VARCHAR(3),
    tracking_number VARCHAR(64),
    carrier_reference VARCHAR(200),
    messages TEXT NOT NULL,
    attempt INTEGER NOT NULL,
    leased_until TEXT,
    asked_at TEXT,
    manifest_id INTEGER,
    claims INTEGER NOT NULL,
    hold_id INTEGER,
    transfer_id INTEGER,
    cost_transfer_id INTEGER,
    moved_at TEXT,
    created_by INTEGER,
    created_at TEXT NOT NULL,
    bought_at TEXT,
    voided_at TEXT,
    updated_at TEXT NOT NULL,
    CONSTRAINT uq_shipment_client_id_reference UNIQUE (client_id, reference),
    CONSTRAINT uq_shipment_client_id_claim_key UNIQUE (client_id, claim_key)
);

CREATE INDEX ix_shipment_manifest ON shipment (client_id, manifest_id);

CREATE INDEX ix_shipment_state ON shipment (client_id, state, ship_date);

CREATE INDEX ix_shipment_order_ref ON shipment (client_id, order_ref);

CREATE INDEX ix_shipment_customer ON shipment (client_id, customer_id);

CREATE TABLE shipping_label (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    shipment_id INTEGER NOT NULL,
    number INTEGER NOT NULL,
    tracking_number VARCHAR(64) NOT NULL,
    label_format VARCHAR(5) NOT NULL,
    content BLOB NOT NULL,
    CONSTRAINT uq_shipping_label_client_id_shipment_id_number UNIQUE (client_id, shipment_id, number)
);

CREATE INDEX ix_shipping_label_tracking_number ON shipping_label (client_id, tracking_number);

CREATE TABLE shipping_manifest (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    account_id INTEGER NOT NULL,
    carrier VARCHAR(30) NOT NULL,
    ship_date DATE NOT NULL,
    state VARCHAR(10) NOT NULL,
    shipments INTEGER NOT NULL,
    carrier_manifest_id VARCHAR(200),
    paper BLOB,
    paper_type VARCHAR(100),
    place TEXT NOT NULL,
    leased_until TEXT,
    created_by INTEGER,
    created_at TEXT NOT NULL,
    closed_at TEXT
);

CREATE INDEX ix_shipping_manifest_account ON shipping_manifest (client_id, account_id, id);

CREATE TABLE shipping_order (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    customer_id INTEGER NOT NULL,
    state VARCHAR(20) NOT NULL,
    service_id INTEGER NOT NULL,
    service_code VARCHAR(40) NOT NULL,
    service_name VARCHAR(120) NOT NULL,
    kind VARCHAR(20) NOT NULL,
    price_family VARCHAR(20) NOT NULL,
    fulfilment TEXT NOT NULL,
    carrier_account_id INTEGER,
    carrier_service VARCHAR(60),
    order_ref VARCHAR(100),
    terms TEXT NOT NULL,
    consignee_name VARCHAR(200) NOT NULL,
    consignee_city VARCHAR(200) NOT NULL,
    consignee_email VARCHAR(254),
    consignee_phone VARCHAR(50),
    scheduled_date DATE,
    note VARCHAR(500),
    quote_id INTEGER,
    price TEXT NOT NULL,
    currency VARCHAR(3) NOT NULL,
    total_minor BIGINT NOT NULL,
    paid_minor BIGINT NOT NULL,
    transfer_id INTEGER,
    order_id INTEGER,
    shipment_id INTEGER,
    label_fault VARCHAR(500),
    tracking_number VARCHAR(64),
    created_by INTEGER,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    confirmed_at TEXT,
    completed_at TEXT,
    cancelled_at TEXT,
    cancel_reason VARCHAR(255),
    CONSTRAINT uq_shipping_order_client_id_customer_id_order_ref UNIQUE (client_id, customer_id, order_ref),
    CONSTRAINT ck_shipping_order_paid CHECK (paid_minor BETWEEN 0 AND total_minor)
);

CREATE INDEX ix_shipping_order_state ON shipping_order (client_id, state, id);

CREATE INDEX ix_shipping_order_order ON shipping_order (client_id, order_id);

CREATE INDEX ix_shipping_order_customer ON shipping_order (client_id, customer_id, id);

CREATE INDEX ix_shipping_order_shipment ON shipping_order (client_id, shipment_id);

CREATE TABLE pending_write (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    operation VARCHAR(100) NOT NULL,
    request BLOB NOT NULL,
    note VARCHAR(500),
    preview TEXT NOT NULL,
    status VARCHAR(10) NOT NULL,
    proposed_by INTEGER NOT NULL,
    token_id INTEGER,
    scopes TEXT NOT NULL,
    language VARCHAR(10) NOT NULL,
    proposed_at TEXT NOT NULL,
    expires_at TEXT NOT NULL,
    reviewed_by INTEGER,
    reviewed_at TEXT,
    review_note VARCHAR(500),
    answer TEXT
);

CREATE INDEX ix_pending_write_status ON pending_write (client_id, status, id);

CREATE TABLE approval_policy (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    own_allowed BOOLEAN NOT NULL,
    expires_after_h INTEGER NOT NULL,
    CONSTRAINT uq_approval_policy_client_id UNIQUE (client_id)
);

CREATE TABLE rider_answer (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    route_id INTEGER NOT NULL,
    driver_id INTEGER NOT NULL,
    answer VARCHAR(10) NOT NULL,
    reason VARCHAR(255),
    at TEXT NOT NULL,
    recorded_at TEXT NOT NULL,
    CONSTRAINT uq_rider_answer_client_id_route_id_driver_id UNIQUE (client_id, route_id, driver_id)
);

CREATE TABLE rider_policy (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    photo_required BOOLEAN NOT NULL,
    signature_required BOOLEAN NOT NULL,
    recipient_required BOOLEAN NOT NULL,
    max_distance_m INTEGER,
    position_every_s INTEGER NOT NULL,
    positions_kept_days INTEGER NOT NULL,
    offer_seconds INTEGER NOT NULL,
    offer_radius_m INTEGER NOT NULL,
    riders_per_round INTEGER NOT NULL,
    rounds_max INTEGER NOT NULL,
    loading_check VARCHAR(10) DEFAULT 'ignore' NOT NULL,
    changed_at TEXT NOT NULL,
    CONSTRAINT uq_rider_policy_client_id UNIQUE (client_id)
);

CREATE TABLE driver_position (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    driver_id INTEGER NOT NULL,
    occurred_at TEXT NOT NULL,
    recorded_at TEXT NOT NULL,
    lat FLOAT NOT NULL,
    lng FLOAT NOT NULL,
    accuracy_m FLOAT,
    speed_mps FLOAT,
    heading_deg FLOAT,
    battery_percent INTEGER,
    standing_since TEXT NOT NULL,
    standing_lat FLOAT NOT NULL,
    standing_lng FLOAT NOT NULL,
    CONSTRAINT uq_driver_position_client_id_driver_id UNIQUE (client_id, driver_id)
);

CREATE INDEX ix_driver_position_client_id_recorded_at ON driver_position (client_id, recorded_at);

CREATE TABLE driver_point (
    client_id INTEGER NOT NULL,
    driver_id INTEGER NOT NULL,
    slot_at TEXT NOT NULL,
    occurred_at TEXT NOT NULL,
    recorded_at TEXT NOT NULL,
    lat FLOAT NOT NULL,
    lng FLOAT NOT NULL,
    accuracy_m FLOAT,
    speed_mps FLOAT,
    heading_deg FLOAT,
    battery_percent INTEGER,
    CONSTRAINT pk_driver_point PRIMARY KEY (driver_id, slot_at)
)
 WITHOUT ROWID;

CREATE INDEX ix_driver_point_client_id_slot_at ON driver_point (client_id, slot_at);

CREATE TABLE locker_site (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    name VARCHAR(120) NOT NULL,
    point_of_interest_id INTEGER,
    address VARCHAR(300) NOT NULL,
    lat FLOAT NOT NULL,
    lng FLOAT NOT NULL,
    opening_hours TEXT,
    accessibility TEXT NOT NULL,
    access_notes VARCHAR(500),
    retired BOOLEAN NOT NULL,
    storage_free_days INTEGER,
    storage_day_minor BIGINT,
    created_at TEXT NOT NULL
);

CREATE INDEX ix_locker_site_place ON locker_site (client_id, lat, lng);

CREATE INDEX ix_locker_site_point_of_interest ON locker_site (client_id, point_of_interest_id);

CREATE TABLE locker_cabinet (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    site_id INTEGER NOT NULL,
    code VARCHAR(40) NOT NULL,
    device_id INTEGER,
    retired BOOLEAN NOT NULL,
    created_at TEXT NOT NULL,
    CONSTRAINT uq_locker_cabinet_client_id_site_id_code UNIQUE (client_id, site_id, code),
    CONSTRAINT uq_locker_cabinet_client_id_device_id UNIQUE (client_id, device_id)
);

CREATE TABLE locker_box (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    site_id INTEGER NOT NULL,
    cabinet_id INTEGER NOT NULL,
    number INTEGER NOT NULL,
    size VARCHAR(2) NOT NULL,
    size_rank INTEGER NOT NULL,
    low BOOLEAN NOT NULL,
    usable BOOLEAN NOT NULL,
    state VARCHAR(10) NOT NULL,
    fault VARCHAR(200),
    door_open BOOLEAN,
    lease_id INTEGER,
    CONSTRAINT uq_locker_box_client_id_cabinet_id_number UNIQUE (client_id, cabinet_id, number)
);

CREATE INDEX ix_locker_box_site ON locker_box (client_id, site_id, size_rank);

CREATE INDEX ix_locker_box_lease ON locker_box (client_id, lease_id);

CREATE TABLE locker_parcel (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    site_id INTEGER NOT NULL,
    box_id INTEGER NOT NULL,
    kind VARCHAR(10) DEFAULT 'delivery' NOT NULL,
    status VARCHAR(12) NOT NULL,
    customer_id INTEGER,
    order_id INTEGER,
    lease_id INTEGER,
    reference VARCHAR(80),
    recipient_name VARCHAR(120),
    recipient_email VARCHAR(254),
    recipient_phone VARCHAR(50),
    language VARCHAR(10),
    code_sha256 BLOB,
    code_nonce BLOB,
    code_made_at TEXT,
    reminded_at TEXT,
    until TEXT NOT NULL,
    keep_days INTEGER NOT NULL,
    end_reason VARCHAR(255),
    home TEXT,
    fee_minor BIGINT,
    fee_charged BOOLEAN,
    reserved_at TEXT NOT NULL,
    deposited_at TEXT,
    ended_at TEXT
);

CREATE UNIQUE INDEX uq_locker_parcel_code ON locker_parcel (client_id, site_id, code_sha256) WHERE ended_at IS NULL AND code_sha256 IS NOT NULL;

CREATE INDEX ix_locker_parcel_customer ON locker_parcel (client_id, customer_id);

CREATE UNIQUE INDEX uq_locker_parcel_box ON locker_parcel (client_id, box_id) WHERE ended_at IS NULL;

CREATE INDEX ix_locker_parcel_site ON locker_parcel (client_id, site_id, status);

CREATE INDEX ix_locker_parcel_order ON locker_parcel (client_id, order_id);

CREATE INDEX ix_locker_parcel_lease ON locker_parcel (client_id, lease_id);

CREATE TABLE locker_delivery (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    order_id INTEGER NOT NULL,
    site_id INTEGER NOT NULL,
    parcel_id INTEGER,
    size VARCHAR(2) NOT NULL,
    low BOOLEAN NOT NULL,
    if_full VARCHAR(16) NOT NULL,
    hold_hours INTEGER NOT NULL,
    keep_days INTEGER NOT NULL,
    home TEXT,
    status VARCHAR(12) NOT NULL,
    fell_back_because VARCHAR(20),
    created_at TEXT NOT NULL,
    ended_at TEXT,
    waiting_since TEXT
);

CREATE UNIQUE INDEX uq_locker_delivery_order ON locker_delivery (client_id, order_id);

CREATE INDEX ix_locker_delivery_site ON locker_delivery (client_id, site_id, status);

CREATE TABLE firmware_release (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    version VARCHAR(60) NOT NULL,
    kind VARCHAR(20) NOT NULL,
    channel VARCHAR(40) NOT NULL,
    status VARCHAR(12) NOT NULL,
    file_id INTEGER NOT NULL,
    size_bytes INTEGER NOT NULL,
    sha256 VARCHAR(64) NOT NULL,
    name VARCHAR(120),
    notes VARCHAR(500) NOT NULL,
    created_by INTEGER,
    created_at TEXT NOT NULL,
    withdrawn_at TEXT,
    reason VARCHAR(255) NOT NULL
);

CREATE INDEX ix_firmware_release_channel ON firmware_release (client_id, channel, status);

CREATE UNIQUE INDEX uq_firmware_release_version ON firmware_release (client_id, kind, version);

CREATE TABLE firmware_rollout (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    release_id INTEGER NOT NULL,
    status VARCHAR(12) NOT NULL,
    channel VARCHAR(40),
    site_id INTEGER,
    share_pct INTEGER NOT NULL,
    max_failure_pct INTEGER NOT NULL,
    min_failures INTEGER NOT NULL,
    allow_downgrade BOOLEAN NOT NULL,
    note VARCHAR(500) NOT NULL,
    round INTEGER NOT NULL,
    telling BOOLEAN NOT NULL,
    installed INTEGER NOT NULL,
    failed INTEGER NOT NULL,
    reason VARCHAR(255) NOT NULL,
    created_by INTEGER,
    created_at TEXT NOT NULL,
    started_at TEXT,
    paused_at TEXT,
    ended_at TEXT
);

CREATE INDEX ix_firmware_rollout_status ON firmware_rollout (client_id, status);

CREATE INDEX ix_firmware_rollout_release ON firmware_rollout (client_id, release_id);

CREATE TABLE firmware_update (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    rollout_id INTEGER NOT NULL,
    release_id INTEGER NOT NULL,
    device_id INTEGER NOT NULL,
    command_id INTEGER NOT NULL,
    from_version VARCHAR(60),
    status VARCHAR(12) NOT NULL,
    fault VARCHAR(200),
    superseded BOOLEAN NOT NULL,
    created_at TEXT NOT NULL,
    ended_at TEXT
);

CREATE INDEX ix_firmware_update_rollout ON firmware_update (client_id, rollout_id, status);

CREATE UNIQUE INDEX uq_firmware_update_live ON firmware_update (client_id, device_id) WHERE status IN ('downloading', 'pending');

CREATE UNIQUE INDEX uq_firmware_update_command ON firmware_update (client_id, command_id);

CREATE INDEX ix_firmware_update_device ON firmware_update (client_id, device_id);

CREATE TABLE device (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    name VARCHAR(120) NOT NULL,
    kind VARCHAR(20) NOT NULL,
    serial VARCHAR(80) NOT NULL,
    site_id INTEGER,
    status VARCHAR(20) NOT NULL,
    firmware_channel VARCHAR(40) NOT NULL,
    telemetry TEXT NOT NULL,
    last_sequence BIGINT NOT NULL,
    last_seen_at TEXT,
    session_sequence BIGINT,
    gone_at TEXT,
    sampled_at TEXT,
    firmware VARCHAR(60),
    battery_pct INTEGER,
    desired_settings TEXT,
    reported_settings TEXT,
    code_sequence BIGINT DEFAULT '0' NOT NULL,
    clock_offset_s INTEGER,
    wrong_codes INTEGER NOT NULL,
    keypad_rests_until TEXT,
    registered_at TEXT,
    created_at TEXT NOT NULL
);

CREATE INDEX ix_device_firmware ON device (client_id, firmware);

CREATE INDEX ix_device_site ON device (client_id, site_id);

CREATE UNIQUE INDEX uq_device_serial ON device (client_id, serial);

CREATE TABLE device_key (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    device_id INTEGER NOT NULL,
    purpose VARCHAR(12) NOT NULL,
    key_sha256 BLOB NOT NULL,
    expires_at TEXT,
    ended_at TEXT,
    created_at TEXT NOT NULL,
    CONSTRAINT uq_device_key_key_sha256 UNIQUE (key_sha256)
);

CREATE INDEX ix_device_key_device ON device_key (client_id, device_id);

CREATE TABLE device_command (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    device_id INTEGER NOT NULL,
    command VARCHAR(12) NOT NULL,
    purpose VARCHAR(12),
    box_id INTEGER,
    box_number INTEGER,
    parcel_id INTEGER,
    settings TEXT NOT NULL,
    status VARCHAR(14) NOT NULL,
    fault VARCHAR(200),
    reason VARCHAR(255) NOT NULL,
    requested_by INTEGER,
    frame_sequence BIGINT,
    created_at TEXT NOT NULL,
    sent_at TEXT,
    acknowledged_at TEXT,
    ended_at TEXT,
    expires_at TEXT NOT NULL
);

CREATE INDEX ix_device_command_device ON device_command (client_id, device_id, status);

CREATE UNIQUE INDEX uq_device_command_frame ON device_command (client_id, device_id, frame_sequence) WHERE frame_sequence IS NOT NULL;

CREATE INDEX ix_device_command_parcel ON device_command (client_id, parcel_id);

CREATE TABLE broker_order_assignment (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    order_id INTEGER NOT NULL,
    contractor_id INTEGER NOT NULL,
    status VARCHAR(10) NOT NULL,
    note VARCHAR(500),
    assigned_by INTEGER,
    assigned_at TEXT NOT NULL,
    ended_by INTEGER,
    ended_at TEXT,
    end_reason VARCHAR(255),
    respond_by TEXT,
    accepted_at TEXT
);

CREATE INDEX ix_broker_order_assignment_client_id_contractor_id ON broker_order_assignment (client_id, contractor_id);

CREATE INDEX ix_broker_order_assignment_client_id_order_id ON broker_order_assignment (client_id, order_id);

CREATE UNIQUE INDEX uq_broker_order_assignment_active ON broker_order_assignment (client_id, order_id) WHERE status = 'active';

CREATE TABLE contractor_capacity (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    contractor_id INTEGER NOT NULL,
    orders_per_day INTEGER NOT NULL,
    CONSTRAINT uq_contractor_capacity_client_id_contractor_id UNIQUE (client_id, contractor_id)
);

CREATE TABLE route_stop (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    route_id INTEGER NOT NULL,
    order_id INTEGER NOT NULL,
    kind VARCHAR(10) NOT NULL,
    position INTEGER NOT NULL,
    status VARCHAR(20) NOT NULL,
    on_route BOOLEAN NOT NULL,
    planned_arrival_at TEXT,
    planned_departure_at TEXT,
    planned_distance_m INTEGER,
    locked_at TEXT,
    locked_by INTEGER,
    arrived_at TEXT,
    arrived_recorded_at TEXT,
    ended_at TEXT,
    ended_recorded_at TEXT,
    ended_by INTEGER,
    ended_lat FLOAT,
    ended_lng FLOAT,
    ended_distance_m INTEGER,
    outcome VARCHAR(10),
    reason VARCHAR(64),
    return_reason VARCHAR(64),
    note VARCHAR(500),
    proof TEXT,
    earlier_attempts TEXT,
    to_load BOOLEAN DEFAULT 0 NOT NULL,
    dispute VARCHAR(40),
    handed_over_at TEXT,
    handed_over_from INTEGER
);

CREATE INDEX ix_route_stop_client_id_route_id ON route_stop (client_id, route_id);

CREATE UNIQUE INDEX uq_route_stop_order ON route_stop (client_id, order_id, kind) WHERE on_route;

CREATE INDEX ix_route_stop_client_id_order_id ON route_stop (client_id, order_id);

CREATE TABLE contractor_rule (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    contractor_id INTEGER NOT NULL,
    name VARCHAR(120) NOT NULL,
    postal_prefixes TEXT NOT NULL,
    order_types TEXT NOT NULL,
    skills TEXT NOT NULL,
    max_weight_g BIGINT,
    weekdays TEXT NOT NULL,
    active BOOLEAN NOT NULL,
    created_at TEXT NOT NULL
);

CREATE INDEX ix_contractor_rule_client_id_contractor_id ON contractor_rule (client_id, contractor_id);

CREATE TABLE route (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    name VARCHAR(120),
    day DATE NOT NULL,
    depot_id INTEGER NOT NULL,
    driver_id INTEGER,
    contractor_id INTEGER,
    status VARCHAR(20) NOT NULL,
    version INTEGER DEFAULT '1' NOT NULL,
    merged_into INTEGER,
    published_at TEXT,
    published_by INTEGER,
    locked_at TEXT,
    locked_by INTEGER,
    planned_start_at TEXT,
    planned_end_at TEXT,
    planned_distance_m INTEGER,
    started_at TEXT,
    started_recorded_at TEXT,
    finished_at TEXT,
    finished_recorded_at TEXT,
    clock_ahead_s BIGINT,
    clock_off_since TEXT,
    cancel_reason VARCHAR(255),
    created_by INTEGER,
    created_at TEXT NOT NULL
);

CREATE INDEX ix_route_client_id_driver_id_day ON route (client_id, driver_id, day);

CREATE INDEX ix_route_client_id_day ON route (client_id, day);

CREATE INDEX ix_route_client_id_contractor_id_day ON route (client_id, contractor_id, day);

CREATE TABLE device_product (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    product_code VARCHAR(40) NOT NULL,
    name VARCHAR(120) NOT NULL,
    kind VARCHAR(20) NOT NULL,
    description VARCHAR(500) NOT NULL,
    price_minor BIGINT NOT NULL,
    currency VARCHAR(3) NOT NULL,
    stock INTEGER NOT NULL,
    lead_days INTEGER NOT NULL,
    active BOOLEAN NOT NULL,
    updated_at TEXT NOT NULL,
    CONSTRAINT uq_device_product_client_id_product_code UNIQUE (client_id, product_code)
);

CREATE TABLE device_order (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    customer_id INTEGER NOT NULL,
    status VARCHAR(20) NOT NULL,
    order_ref VARCHAR(80),
    note VARCHAR(500) NOT NULL,
    consignee TEXT NOT NULL,
    consignee_name VARCHAR(200) NOT NULL,
    consignee_email VARCHAR(254),
    consignee_phone VARCHAR(50),
    pieces INTEGER NOT NULL,
    price_minor BIGINT NOT NULL,
    paid_minor BIGINT NOT NULL,
    refunded_minor BIGINT NOT NULL,
    currency VARCHAR(3) NOT NULL,
    transfer_id INTEGER,
    order_id INTEGER,
    carrier VARCHAR(120),
    tracking_number VARCHAR(64),
    prices_until TEXT NOT NULL,
    created_at TEXT NOT NULL,
    confirmed_at TEXT,
    paid_at TEXT,
    shipped_at TEXT,
    delivered_at TEXT,
    ended_at TEXT
);

CREATE INDEX ix_device_order_delivery ON device_order (client_id, order_id);

CREATE INDEX ix_device_order_paid_at ON device_order (client_id, paid_at);

CREATE INDEX ix_device_order_tracking_number ON device_order (client_id, tracking_number);

CREATE INDEX ix_device_order_customer ON device_order (client_id, customer_id);

CREATE INDEX ix_device_order_status ON device_order (client_id, status);

CREATE TABLE device_order_line (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    device_order_id INTEGER NOT NULL,
    product_id INTEGER NOT NULL,
    product_code VARCHAR(40) NOT NULL,
    name VARCHAR(120) NOT NULL,
    kind VARCHAR(20) NOT NULL,
    quantity INTEGER NOT NULL,
    unit_price_minor BIGINT NOT NULL,
    CONSTRAINT uq_device_order_line_client_id_device_order_id_product_id UNIQUE (client_id, device_order_id, product_id)
);

CREATE TABLE device_order_unit (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    device_order_id INTEGER NOT NULL,
    product_id INTEGER NOT NULL,
    product_code VARCHAR(40) NOT NULL,
    unit_price_minor BIGINT NOT NULL,
    serial VARCHAR(80) NOT NULL,
    device_id INTEGER NOT NULL,
    device_return_id INTEGER,
    activated_at TEXT,
    returned_at TEXT
);

CREATE UNIQUE INDEX uq_device_order_unit_serial ON device_order_unit (client_id, serial) WHERE returned_at IS NULL;

CREATE INDEX ix_device_order_unit_order ON device_order_unit (client_id, device_order_id);

CREATE INDEX ix_device_order_unit_return ON device_order_unit (client_id, device_return_id);

CREATE TABLE device_return (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    device_order_id INTEGER NOT NULL,
    customer_id INTEGER NOT NULL,
    status VARCHAR(20) NOT NULL,
    reason VARCHAR(20) NOT NULL,
    wish VARCHAR(20) NOT NULL,
    note VARCHAR(500) NOT NULL,
    serials TEXT NOT NULL,
    restocked BOOLEAN,
    worth_minor BIGINT NOT NULL,
    refund_minor BIGINT,
    currency VARCHAR(3) NOT NULL,
    tracking_number VARCHAR(64),
    created_at TEXT NOT NULL,
    received_at TEXT,
    ended_at TEXT
);

CREATE INDEX ix_device_return_order ON device_return (client_id, device_order_id);

CREATE INDEX ix_device_return_status ON device_return (client_id, status);

CREATE INDEX ix_device_return_customer ON device_return (client_id, customer_id);

CREATE TABLE luggage_settings (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    pay_minutes INTEGER NOT NULL,
    free_cancel_hours INTEGER NOT NULL,
    late_refund_percent INTEGER NOT NULL,
    pick_days INTEGER NOT NULL,
    claim_days INTEGER NOT NULL,
    liability_minor BIGINT NOT NULL,
    CONSTRAINT uq_luggage_settings_client_id UNIQUE (client_id)
);

CREATE TABLE luggage_booking (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    customer_id INTEGER NOT NULL,
    driver_id INTEGER,
    tracking_number VARCHAR(40) NOT NULL,
    service_code VARCHAR(40) NOT NULL,
    form_values TEXT NOT NULL,
    status VARCHAR(20) NOT NULL,
    end_reason VARCHAR(20),
    traveller_name VARCHAR(120) NOT NULL,
    traveller_email VARCHAR(254),
    traveller_phone VARCHAR(50),
    language VARCHAR(10),
    travel_reference VARCHAR(40),
    note VARCHAR(500) NOT NULL,
    origin TEXT NOT NULL,
    destination TEXT NOT NULL,
    from_site_id INTEGER,
    to_site_id INTEGER,
    drop_from TEXT NOT NULL,
    drop_until TEXT NOT NULL,
    pick_from TEXT NOT NULL,
    pick_until TEXT,
    bag_count INTEGER NOT NULL,
    price_minor BIGINT NOT NULL,
    price_lines TEXT NOT NULL,
    refunded_minor BIGINT NOT NULL,
    currency VARCHAR(3) NOT NULL,
    transfer_id INTEGER,
    pay_until TEXT NOT NULL,
    pin_sha256 BLOB,
    pin_nonce BLOB,
    wrong_pins INTEGER NOT NULL,
    pin_rests_until TEXT,
    late BOOLEAN NOT NULL,
    door_stuck BOOLEAN NOT NULL,
    sold_on DATE,
    created_at TEXT NOT NULL,
    paid_at TEXT,
    received_at TEXT,
    arrived_at TEXT,
    ended_at TEXT,
    CONSTRAINT uq_luggage_booking_client_id_tracking_number UNIQUE (client_id, tracking_number)
);

CREATE INDEX ix_luggage_booking_sold ON luggage_booking (client_id, sold_on);

CREATE INDEX ix_luggage_booking_driver ON luggage_booking (client_id, driver_id, id);

CREATE INDEX ix_luggage_booking_status ON luggage_booking (client_id, status, id);

CREATE INDEX ix_luggage_booking_from ON luggage_booking (client_id, from_site_id);

CREATE INDEX ix_luggage_booking_to ON luggage_booking (client_id, to_site_id);

CREATE INDEX ix_luggage_booking_customer ON luggage_booking (client_id, customer_id, id);

CREATE TABLE luggage_bag (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    booking_id INTEGER NOT NULL,
    number INTEGER NOT NULL,
    tag VARCHAR(24) NOT NULL,
    size VARCHAR(2) NOT NULL,
    description VARCHAR(120),
    status VARCHAR(20) NOT NULL,
    damaged BOOLEAN NOT NULL,
    photo_id INTEGER,
    drop_parcel_id INTEGER,
    pick_parcel_id INTEGER,
    scanned_by INTEGER,
    ended_at TEXT,
    CONSTRAINT uq_luggage_bag_client_id_booking_id_number UNIQUE (client_id, booking_id, number)
);

CREATE INDEX ix_luggage_bag_pick ON luggage_bag (client_id, pick_parcel_id);

CREATE UNIQUE INDEX uq_luggage_bag_tag ON luggage_bag (client_id, tag) WHERE ended_at IS NULL;

CREATE INDEX ix_luggage_bag_tag ON luggage_bag (client_id, tag);

CREATE INDEX ix_luggage_bag_drop ON luggage_bag (client_id, drop_parcel_id);

CREATE TABLE luggage_handover (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    booking_id INTEGER NOT NULL,
    tag VARCHAR(24) NOT NULL,
    step VARCHAR(20) NOT NULL,
    holder VARCHAR(20) NOT NULL,
    user_id INTEGER,
    proof VARCHAR(20),
    note VARCHAR(500),
    at TEXT NOT NULL
);

CREATE INDEX ix_luggage_handover_booking ON luggage_handover (client_id, booking_id, id);

CREATE TABLE luggage_claim (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    booking_id INTEGER NOT NULL,
    customer_id INTEGER NOT NULL,
    kind VARCHAR(20) NOT NULL,
    about VARCHAR(24) NOT NULL,
    status VARCHAR(20) NOT NULL,
    note VARCHAR(500) NOT NULL,
    reason VARCHAR(500),
    refunded_minor BIGINT NOT NULL,
    compensation_minor BIGINT NOT NULL,
    currency VARCHAR(3) NOT NULL,
    created_at TEXT NOT NULL,
    ended_at TEXT
);

CREATE INDEX ix_luggage_claim_customer ON luggage_claim (client_id, customer_id, id);

CREATE INDEX ix_luggage_claim_booking ON luggage_claim (client_id, booking_id);

CREATE INDEX ix_luggage_claim_status ON luggage_claim (client_id, status, id);

CREATE UNIQUE INDEX uq_luggage_claim_open ON luggage_claim (client_id, booking_id, kind, about) WHERE status IN ('open', 'accepted');

CREATE TABLE locker_offer (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    site_id INTEGER NOT NULL,
    name VARCHAR(120) NOT NULL,
    status VARCHAR(12) NOT NULL,
    size VARCHAR(2) NOT NULL,
    boxes INTEGER NOT NULL,
    min_boxes INTEGER NOT NULL,
    min_days INTEGER NOT NULL,
    max_days INTEGER NOT NULL,
    day_minor BIGINT NOT NULL,
    setup_minor BIGINT NOT NULL,
    currency VARCHAR(3) NOT NULL,
    hold_minutes INTEGER NOT NULL,
    withdraw_hours INTEGER NOT NULL,
    terms VARCHAR(500) NOT NULL,
    created_at TEXT NOT NULL,
    ended_at TEXT
);

CREATE INDEX ix_locker_offer_site ON locker_offer (client_id, site_id);

CREATE INDEX ix_locker_offer_status ON locker_offer (client_id, status);

CREATE TABLE locker_lease (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    offer_id INTEGER NOT NULL,
    site_id INTEGER NOT NULL,
    customer_id INTEGER NOT NULL,
    status VARCHAR(12) NOT NULL,
    lease_ref VARCHAR(80),
    size VARCHAR(2) NOT NULL,
    boxes INTEGER NOT NULL,
    days INTEGER NOT NULL,
    day_minor BIGINT NOT NULL,
    setup_minor BIGINT NOT NULL,
    price_minor BIGINT NOT NULL,
    paid_minor BIGINT NOT NULL,
    refunded_minor BIGINT NOT NULL,
    currency VARCHAR(3) NOT NULL,
    withdraw_hours INTEGER NOT NULL,
    reason VARCHAR(255),
    created_at TEXT NOT NULL,
    held_until TEXT NOT NULL,
    paid_at TEXT,
    ends_at TEXT,
    suspended_at TEXT,
    ended_at TEXT
);

CREATE INDEX ix_locker_lease_offer ON locker_lease (client_id, offer_id, status);

CREATE INDEX ix_locker_lease_site ON locker_lease (client_id, site_id);

CREATE INDEX ix_locker_lease_status ON locker_lease (client_id, status);

CREATE INDEX ix_locker_lease_customer ON locker_lease (client_id, customer_id);

CREATE TABLE locker_lease_entry (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    lease_id INTEGER NOT NULL,
    kind VARCHAR(12) NOT NULL,
    boxes INTEGER NOT NULL,
    days INTEGER NOT NULL,
    day_minor BIGINT NOT NULL,
    amount_minor BIGINT NOT NULL,
    refunded_minor BIGINT NOT NULL,
    currency VARCHAR(3) NOT NULL,
    transfer_id INTEGER,
    starts_at TEXT NOT NULL,
    ends_at TEXT NOT NULL,
    booked_on DATE NOT NULL,
    created_at TEXT NOT NULL
);

CREATE INDEX ix_locker_lease_entry_booked ON locker_lease_entry (client_id, booked_on);

CREATE INDEX ix_locker_lease_entry_lease ON locker_lease_entry (client_id, lease_id);

CREATE TABLE locker_allotment (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    lease_id INTEGER NOT NULL,
    box_id INTEGER NOT NULL,
    since TEXT NOT NULL,
    out_since TEXT,
    ended_at TEXT
);

CREATE INDEX ix_locker_allotment_lease ON locker_allotment (client_id, lease_id);

CREATE UNIQUE INDEX uq_locker_allotment_box ON locker_allotment (client_id, box_id) WHERE ended_at IS NULL;

CREATE TABLE shop_product (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    code VARCHAR(40) NOT NULL,
    name VARCHAR(120) NOT NULL,
    description VARCHAR(500),
    shelf_price_minor BIGINT NOT NULL,
    shelf_currency VARCHAR(3) NOT NULL,
    tax_name VARCHAR(30) NOT NULL,
    tax_basis_points INTEGER NOT NULL,
    size VARCHAR(2) NOT NULL,
    shelf_days INTEGER,
    picture_id INTEGER,
    retired BOOLEAN NOT NULL,
    created_at TEXT NOT NULL,
    CONSTRAINT uq_shop_product_client_id_code UNIQUE (client_id, code),
    CONSTRAINT ck_shop_product_price CHECK (shelf_price_minor > 0)
);

CREATE INDEX ix_shop_product_name ON shop_product (client_id, retired, name);

CREATE TABLE shop_settings (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    walk_in_customer_id INTEGER,
    reserve_min INTEGER NOT NULL,
    pickup_hours INTEGER NOT NULL,
    CONSTRAINT uq_shop_settings_client_id UNIQUE (client_id)
);

CREATE TABLE shop_restock_task (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    site_id INTEGER NOT NULL,
    product_id INTEGER NOT NULL,
    quantity INTEGER NOT NULL,
    filled INTEGER NOT NULL,
    due_on DATE,
    note VARCHAR(500),
    status VARCHAR(20) NOT NULL,
    created_at TEXT NOT NULL,
    closed_at TEXT
);

CREATE INDEX ix_shop_restock_task_status ON shop_restock_task (client_id, status, site_id);

CREATE TABLE shop_item (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    product_id INTEGER NOT NULL,
    site_id INTEGER NOT NULL,
    parcel_id INTEGER NOT NULL,
    task_id INTEGER NOT NULL,
    status VARCHAR(20) NOT NULL,
    expires_on DATE,
    created_at TEXT NOT NULL,
    available_at TEXT,
    ended_at TEXT,
    CONSTRAINT uq_shop_item_client_id_parcel_id UNIQUE (client_id, parcel_id)
);

CREATE INDEX ix_shop_item_offer ON shop_item (client_id, site_id, product_id, status, expires_on);

CREATE INDEX ix_shop_item_expiry ON shop_item (client_id, status, expires_on);

CREATE TABLE shop_purchase (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    product_id INTEGER NOT NULL,
    product_name VARCHAR(120) NOT NULL,
    item_id INTEGER NOT NULL,
    parcel_id INTEGER NOT NULL,
    site_id INTEGER NOT NULL,
    channel VARCHAR(20) NOT NULL,
    customer_id INTEGER NOT NULL,
    buyer_email VARCHAR(254),
    language VARCHAR(10),
    device_id INTEGER,
    frame_sequence BIGINT,
    shelf_price_minor BIGINT NOT NULL,
    tax_minor BIGINT NOT NULL,
    tax_name VARCHAR(30) NOT NULL,
    tax_basis_points INTEGER NOT NULL,
    shelf_currency VARCHAR(3) NOT NULL,
    status VARCHAR(20) NOT NULL,
    paid_by VARCHAR(20),
    transfer_id INTEGER,
    end_reason VARCHAR(20),
    note VARCHAR(255),
    taken_after_refund BOOLEAN NOT NULL,
    reserved_until TEXT NOT NULL,
    pickup_until TEXT,
    sold_on DATE,
    created_at TEXT NOT NULL,
    paid_at TEXT,
    ready_at TEXT,
    collected_at TEXT,
    ended_at TEXT,
    CONSTRAINT uq_shop_purchase_client_id_device_id_frame_sequence UNIQUE (client_id, device_id, frame_sequence)
);

CREATE INDEX ix_shop_purchase_customer ON shop_purchase (client_id, customer_id, id);

CREATE INDEX ix_shop_purchase_status ON shop_purchase (client_id, status, id);

CREATE INDEX ix_shop_purchase_parcel ON shop_purchase (client_id, parcel_id);

CREATE INDEX ix_shop_purchase_sold ON shop_purchase (client_id, sold_on);

CREATE UNIQUE INDEX uq_shop_purchase_item ON shop_purchase (client_id, item_id) WHERE ended_at IS NULL;

CREATE TABLE shop_link (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    purchase_id INTEGER NOT NULL,
    token_sha256 BLOB NOT NULL,
    expires_at TEXT NOT NULL,
    CONSTRAINT uq_shop_link_token_sha256 UNIQUE (token_sha256)
);

CREATE INDEX ix_shop_link_client_id ON shop_link (client_id);

CREATE TABLE rider_upload (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    driver_id INTEGER NOT NULL,
    upload_id VARCHAR(64) NOT NULL,
    stop_id INTEGER NOT NULL,
    file_id INTEGER NOT NULL,
    created_at TEXT NOT NULL,
    CONSTRAINT uq_rider_upload_client_id_driver_id_upload_id UNIQUE (client_id, driver_id, upload_id)
);

CREATE TABLE rider_scan (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    route_id INTEGER NOT NULL,
    stop_id INTEGER,
    driver_id INTEGER NOT NULL,
    order_id INTEGER,
    package_id INTEGER,
    code VARCHAR(100) NOT NULL,
    result VARCHAR(20) NOT NULL,
    occurred_at TEXT NOT NULL,
    recorded_at TEXT NOT NULL
);

CREATE INDEX ix_rider_scan_client_id_route_id ON rider_scan (client_id, route_id);

CREATE TABLE board_posting (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    route_id INTEGER NOT NULL,
    day DATE NOT NULL,
    contractor_id INTEGER,
    opens_at TEXT NOT NULL,
    closes_at TEXT,
    withdraw_until TEXT,
    claims_per_day INTEGER NOT NULL,
    standby_max INTEGER NOT NULL,
    admission TEXT NOT NULL,
    note VARCHAR(500),
    posted_at TEXT NOT NULL,
    posted_by INTEGER,
    closed_at TEXT,
    closed_by INTEGER,
    closing VARCHAR(20)
);

CREATE INDEX ix_board_posting_client_id_day ON board_posting (client_id, day);

CREATE INDEX ix_board_posting_client_id_route_id ON board_posting (client_id, route_id);

CREATE UNIQUE INDEX uq_board_posting_live ON board_posting (client_id, route_id) WHERE closed_at IS NULL;

CREATE TABLE board_claim (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    posting_id INTEGER NOT NULL,
    route_id INTEGER NOT NULL,
    driver_id INTEGER NOT NULL,
    day DATE NOT NULL,
    queued_at TEXT NOT NULL,
    won_at TEXT,
    promoted BOOLEAN NOT NULL,
    ended_at TEXT,
    ended_by INTEGER,
    outcome VARCHAR(20)
);

CREATE INDEX ix_board_claim_client_id_driver_id_day ON board_claim (client_id, driver_id, day);

CREATE UNIQUE INDEX uq_board_claim_place ON board_claim (client_id, route_id, driver_id) WHERE ended_at IS NULL;

CREATE INDEX ix_board_claim_client_id_route_id ON board_claim (client_id, route_id);

CREATE UNIQUE INDEX uq_board_claim_winner ON board_claim (client_id, route_id) WHERE won_at IS NOT NULL AND ended_at IS NULL;

CREATE TABLE board_driver_rule (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    driver_id INTEGER NOT NULL,
    blocked_until TEXT,
    block_reason VARCHAR(255),
    claims_per_day INTEGER,
    zones TEXT NOT NULL,
    changed_at TEXT NOT NULL,
    changed_by INTEGER,
    CONSTRAINT uq_board_driver_rule_client_id_driver_id UNIQUE (client_id, driver_id)
);

CREATE TABLE recipient_message (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    order_id INTEGER NOT NULL,
    message VARCHAR(20) NOT NULL,
    transport VARCHAR(10) NOT NULL,
    state VARCHAR(10) NOT NULL,
    facts TEXT NOT NULL,
    due_at TEXT NOT NULL,
    created_at TEXT NOT NULL,
    settled_at TEXT,
    fault VARCHAR(60),
    tried_at TEXT,
    to_sha256 BLOB
);

CREATE INDEX ix_recipient_message_to ON recipient_message (client_id, to_sha256, tried_at);

CREATE INDEX ix_recipient_message_order ON recipient_message (client_id, order_id, id);

CREATE TABLE recipient_message_policy (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    channels TEXT NOT NULL,
    stops_before INTEGER NOT NULL,
    quiet_from VARCHAR(8),
    quiet_until VARCHAR(8),
    changed_at TEXT NOT NULL,
    CONSTRAINT uq_recipient_message_policy_client_id UNIQUE (client_id)
);

CREATE TABLE recipient_customer_policy (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    customer_id INTEGER NOT NULL,
    channels TEXT NOT NULL,
    stops_before INTEGER,
    changed_at TEXT NOT NULL,
    CONSTRAINT uq_recipient_customer_policy_client_id_customer_id UNIQUE (client_id, customer_id)
);

CREATE TABLE uniorder_job (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    purpose VARCHAR(10) NOT NULL,
    total INTEGER NOT NULL,
    created_by INTEGER,
    account VARCHAR(20) NOT NULL,
    created_at TEXT NOT NULL,
    cancelled_at TEXT,
    finished_at TEXT
);

CREATE INDEX ix_uniorder_job_made ON uniorder_job (client_id, created_by, id);

CREATE TABLE uniorder_job_row (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    job_id INTEGER NOT NULL,
    number INTEGER NOT NULL,
    reference VARCHAR(100),
    request TEXT NOT NULL,
    state VARCHAR(20) NOT NULL,
    uniorder_id INTEGER,
    quote_id INTEGER,
    fault TEXT
);

CREATE INDEX ix_uniorder_job_row_job ON uniorder_job_row (client_id, job_id, number);

CREATE TABLE uniorder_quote (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    customer_id INTEGER,
    form TEXT NOT NULL,
    quoted TEXT NOT NULL,
    created_at TEXT NOT NULL
);

CREATE INDEX ix_uniorder_quote_created ON uniorder_quote (created_at);

CREATE INDEX ix_uniorder_quote_client_id ON uniorder_quote (client_id);

CREATE TABLE uniorder (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    kind VARCHAR(8) NOT NULL,
    status VARCHAR(30) NOT NULL,
    claim_key VARCHAR(160),
    form_digest VARCHAR(64) NOT NULL,
    order_ref VARCHAR(100),
    customer_id INTEGER,
    carrier VARCHAR(30) NOT NULL,
    ship_date DATE NOT NULL,
    local_order_id INTEGER,
    shipment_id INTEGER,
    created_by INTEGER,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    CONSTRAINT uq_uniorder_client_id_claim_key UNIQUE (client_id, claim_key),
    CONSTRAINT uq_uniorder_client_id_local_order_id UNIQUE (client_id, local_order_id),
    CONSTRAINT uq_uniorder_client_id_shipment_id UNIQUE (client_id, shipment_id)
);

CREATE INDEX ix_uniorder_status ON uniorder (client_id, status);

CREATE INDEX ix_uniorder_customer ON uniorder (client_id, customer_id);

CREATE INDEX ix_uniorder_order_ref ON uniorder (client_id, order_ref);

CREATE TABLE idempotency_key (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    owner_client_id BIGINT NOT NULL,
    user_id BIGINT NOT NULL,
    operation VARCHAR(100) NOT NULL,
    "key" VARCHAR(255) NOT NULL,
    request_sha256 BLOB NOT NULL,
    answer BLOB,
    created_at TEXT NOT NULL,
    CONSTRAINT uq_idempotency_key_owner_client_id_user_id_operation_key UNIQUE (owner_client_id, user_id, operation, "key")
);

CREATE INDEX ix_idempotency_key_created_at ON idempotency_key (created_at);

CREATE TABLE node (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    name VARCHAR(120) NOT NULL,
    started_at TEXT NOT NULL,
    seen_at TEXT NOT NULL,
    skew_ms INTEGER NOT NULL,
    settings TEXT NOT NULL,
    CONSTRAINT uq_node_name UNIQUE (name)
);

CREATE TABLE audit_seal (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    owner_client_id BIGINT NOT NULL,
    number INTEGER NOT NULL,
    sealed_at TEXT NOT NULL,
    last_id BIGINT NOT NULL,
    entries TEXT NOT NULL,
    previous VARCHAR(32) NOT NULL,
    digest VARCHAR(32) NOT NULL,
    CONSTRAINT uq_audit_seal_owner_client_id_number UNIQUE (owner_client_id, number)
);

CREATE INDEX ix_audit_seal_sealed_at ON audit_seal (sealed_at);

CREATE TABLE alliance (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    founder_code VARCHAR(64) NOT NULL,
    name VARCHAR(120) NOT NULL,
    note VARCHAR(500),
    created_at TEXT NOT NULL,
    ended_at TEXT,
    reason VARCHAR(255)
);

CREATE INDEX ix_alliance_client ON alliance (client_id, id);

CREATE TABLE alliance_member (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    alliance_id INTEGER NOT NULL,
    code VARCHAR(64) NOT NULL,
    founder BOOLEAN NOT NULL,
    state VARCHAR(20) NOT NULL,
    invited_at TEXT NOT NULL,
    joined_at TEXT,
    left_at TEXT,
    reason VARCHAR(255),
    present BOOLEAN,
    CONSTRAINT uq_alliance_member_alliance_id_client_id_present UNIQUE (alliance_id, client_id, present)
);

CREATE INDEX ix_alliance_member_client ON alliance_member (client_id, alliance_id);

CREATE TABLE tracking_grant (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    giver_code VARCHAR(64) NOT NULL,
    reader_id INTEGER NOT NULL,
    reader_code VARCHAR(64) NOT NULL,
    alliance_id INTEGER NOT NULL,
    numbers VARCHAR(10) NOT NULL,
    fields TEXT NOT NULL,
    granted_at TEXT NOT NULL,
    expires_at TEXT,
    suspended_at TEXT,
    suspended_reason VARCHAR(20),
    set_up_by INTEGER,
    set_up_with INTEGER,
    ended_at TEXT,
    live BOOLEAN,
    CONSTRAINT uq_tracking_grant_client_id_reader_id_live UNIQUE (client_id, reader_id, live)
);

CREATE INDEX ix_tracking_grant_reader ON tracking_grant (reader_id, id);

CREATE TABLE tracking_grant_number (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    grant_id INTEGER NOT NULL,
    number_key VARCHAR(100) NOT NULL,
    number VARCHAR(100) NOT NULL,
    set_up_by INTEGER,
    set_up_with INTEGER,
    CONSTRAINT uq_tracking_grant_number_client_id_grant_id_number_key UNIQUE (client_id, grant_id, number_key)
);

CREATE TABLE alliance_read (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    giver_code VARCHAR(64) NOT NULL,
    reader_id INTEGER NOT NULL,
    reader_code VARCHAR(64) NOT NULL,
    grant_id INTEGER NOT NULL,
    tracking_number VARCHAR(100) NOT NULL,
    user_id INTEGER,
    read_at TEXT NOT NULL
);

CREATE INDEX ix_alliance_read_reader ON alliance_read (reader_id, id);

CREATE INDEX ix_alliance_read_giver ON alliance_read (client_id, id);

CREATE TABLE booking_zone (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    name VARCHAR(120) NOT NULL,
    postal_prefixes TEXT NOT NULL,
    created_at TEXT NOT NULL,
    kind VARCHAR(20) NOT NULL,
    address VARCHAR(300),
    check_in_before_min INTEGER NOT NULL,
    grace_min INTEGER NOT NULL,
    no_show_fee_minor BIGINT,
    no_show_refund BOOLEAN NOT NULL,
    offer_min INTEGER NOT NULL,
    CONSTRAINT uq_booking_zone_client_id_name UNIQUE (client_id, name)
);

CREATE TABLE booking_pattern (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    zone_id INTEGER NOT NULL,
    weekdays TEXT NOT NULL,
    starts VARCHAR(8) NOT NULL,
    ends VARCHAR(8) NOT NULL,
    capacity INTEGER NOT NULL,
    cut_off_min INTEGER NOT NULL,
    price_minor BIGINT,
    first_day DATE NOT NULL,
    last_day DATE,
    made_until DATE,
    created_at TEXT NOT NULL,
    ended_at TEXT
);

CREATE INDEX ix_booking_pattern_client_id ON booking_pattern (client_id);

CREATE TABLE booking_window (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    zone_id INTEGER NOT NULL,
    pattern_id INTEGER,
    day DATE NOT NULL,
    starts_at TEXT NOT NULL,
    ends_at TEXT NOT NULL,
    cut_off_at TEXT NOT NULL,
    capacity INTEGER NOT NULL,
    price_minor BIGINT,
    closed BOOLEAN NOT NULL,
    CONSTRAINT uq_booking_window_client_id_zone_id_starts_at_ends_at UNIQUE (client_id, zone_id, starts_at, ends_at)
);

CREATE INDEX ix_booking_window_day ON booking_window (client_id, day, zone_id);

CREATE TABLE reservation (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    window_id INTEGER NOT NULL,
    postal_code VARCHAR(20) NOT NULL,
    customer_id INTEGER,
    order_id INTEGER,
    held_at TEXT NOT NULL,
    held_by INTEGER,
    expires_at TEXT NOT NULL,
    confirmed_at TEXT,
    ended_at TEXT,
    outcome VARCHAR(20),
    reason VARCHAR(255),
    code VARCHAR(6),
    checked_in_at TEXT,
    checked_in_by INTEGER,
    charged_minor BIGINT,
    charge_transfer_id INTEGER,
    fee_minor BIGINT,
    fee_transfer_id INTEGER,
    fee_waived_at TEXT,
    fee_waiver_reason VARCHAR(255),
    CONSTRAINT uq_reservation_client_id_code UNIQUE (client_id, code)
);

CREATE INDEX ix_reservation_customer ON reservation (client_id, customer_id, id);

CREATE UNIQUE INDEX uq_reservation_order ON reservation (client_id, order_id) WHERE order_id IS NOT NULL AND outcome IS NULL;

CREATE INDEX ix_reservation_window ON reservation (client_id, window_id, outcome);

CREATE TABLE waiting_entry (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    window_id INTEGER NOT NULL,
    customer_id INTEGER NOT NULL,
    postal_code VARCHAR(20) NOT NULL,
    status VARCHAR(20) NOT NULL,
    joined_at TEXT NOT NULL,
    reservation_id INTEGER,
    offered_until TEXT,
    ended_at TEXT
);

CREATE UNIQUE INDEX uq_waiting_entry_live ON waiting_entry (client_id, window_id, customer_id) WHERE status IN ('waiting', 'offered');

CREATE INDEX ix_waiting_entry_reservation ON waiting_entry (client_id, reservation_id);

CREATE INDEX ix_waiting_entry_customer ON waiting_entry (client_id, customer_id, id);

CREATE INDEX ix_waiting_entry_window ON waiting_entry (client_id, window_id, status, id);

CREATE TABLE chat_thread (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    order_id INTEGER NOT NULL,
    message_count INTEGER NOT NULL,
    last_message_id INTEGER,
    last_message_at TEXT,
    pushed_up_to INTEGER NOT NULL,
    created_at TEXT NOT NULL,
    CONSTRAINT uq_chat_thread_client_id_order_id UNIQUE (client_id, order_id)
);

CREATE INDEX ix_chat_thread_newest ON chat_thread (client_id, last_message_at, id);

CREATE TABLE chat_message (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    thread_id INTEGER NOT NULL,
    order_id INTEGER NOT NULL,
    sender_role VARCHAR(12) NOT NULL,
    sender_user_id INTEGER NOT NULL,
    kind VARCHAR(12) NOT NULL,
    text TEXT,
    quick_reply VARCHAR(40),
    texts TEXT,
    file_id INTEGER,
    lat FLOAT,
    lng FLOAT,
    accuracy_m INTEGER,
    client_ref VARCHAR(64),
    hidden_at TEXT,
    created_at TEXT NOT NULL
);

CREATE UNIQUE INDEX uq_chat_message_ref ON chat_message (client_id, thread_id, sender_role, sender_user_id, client_ref) WHERE client_ref IS NOT NULL;

CREATE INDEX ix_chat_message_thread ON chat_message (client_id, thread_id, id);

CREATE INDEX ix_chat_message_sender ON chat_message (client_id, sender_user_id);

CREATE TABLE chat_participant (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    thread_id INTEGER NOT NULL,
    order_id INTEGER NOT NULL,
    role VARCHAR(12) NOT NULL,
    user_id INTEGER NOT NULL,
    delivered_up_to INTEGER NOT NULL,
    read_up_to INTEGER NOT NULL,
    muted_until TEXT,
    blocked_at TEXT,
    created_at TEXT NOT NULL,
    CONSTRAINT uq_chat_participant_client_id_thread_id_role_user_id UNIQUE (client_id, thread_id, role, user_id)
);

CREATE INDEX ix_chat_participant_user ON chat_participant (client_id, user_id, thread_id);

CREATE TABLE chat_report (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    thread_id INTEGER NOT NULL,
    order_id INTEGER NOT NULL,
    message_id INTEGER NOT NULL,
    reporter_role VARCHAR(12) NOT NULL,
    reporter_user_id INTEGER NOT NULL,
    reason VARCHAR(12) NOT NULL,
    note VARCHAR(500),
    status VARCHAR(12) NOT NULL,
    created_at TEXT NOT NULL,
    resolved_at TEXT,
    resolved_by INTEGER,
    CONSTRAINT uq_chat_report_client_id_message_id_reporter_role_reporter_user_id UNIQUE (client_id, message_id, reporter_role, reporter_user_id)
);

CREATE INDEX ix_chat_report_thread ON chat_report (client_id, thread_id);

CREATE INDEX ix_chat_report_status ON chat_report (client_id, status, id);

CREATE TABLE chat_settings (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    grace_hours INTEGER NOT NULL,
    quick_replies TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    CONSTRAINT uq_chat_settings_client_id UNIQUE (client_id)
);

CREATE TABLE chat_push_device (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    user_id INTEGER NOT NULL,
    set_up_with INTEGER,
    order_id INTEGER NOT NULL,
    kind VARCHAR(8) NOT NULL,
    address TEXT NOT NULL,
    address_sha256 BLOB NOT NULL,
    p256dh VARCHAR(88),
    auth VARCHAR(24),
    name VARCHAR(80),
    language VARCHAR(10) NOT NULL,
    created_at TEXT NOT NULL,
    seen_at TEXT NOT NULL,
    CONSTRAINT uq_chat_push_device_client_id_address_sha256_order_id UNIQUE (client_id, address_sha256, order_id)
);

CREATE INDEX ix_chat_push_device_owner ON chat_push_device (client_id, user_id, order_id);

CREATE INDEX ix_chat_push_device_seen_at ON chat_push_device (seen_at);

CREATE TABLE recipient_access (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    order_id INTEGER NOT NULL,
    token_sha256 BLOB NOT NULL,
    created_at TEXT NOT NULL,
    expires_at TEXT NOT NULL,
    CONSTRAINT uq_recipient_access_token_sha256 UNIQUE (token_sha256)
);

CREATE INDEX ix_recipient_access_client_id ON recipient_access (client_id);

CREATE INDEX ix_recipient_access_expires_at ON recipient_access (expires_at);

CREATE TABLE recipient_brand (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    colour VARCHAR(7),
    contact_email VARCHAR(254),
    contact_phone VARCHAR(50),
    website VARCHAR(200),
    changed_at TEXT NOT NULL,
    CONSTRAINT uq_recipient_brand_client_id UNIQUE (client_id)
);

CREATE TABLE inbound_claim (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    parcel_id INTEGER NOT NULL,
    customer_id INTEGER NOT NULL,
    state VARCHAR(12) NOT NULL,
    tracking_number VARCHAR(100) NOT NULL,
    contents VARCHAR(500),
    declared_value BIGINT,
    declared_currency VARCHAR(3),
    note VARCHAR(500),
    created_at TEXT NOT NULL,
    decided_at TEXT,
    decided_by INTEGER,
    CONSTRAINT uq_inbound_claim_client_id_parcel_id_customer_id UNIQUE (client_id, parcel_id, customer_id)
);

CREATE INDEX ix_inbound_claim_state ON inbound_claim (client_id, state, id);

CREATE TABLE inbound_parcel (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    state VARCHAR(20) NOT NULL,
    tracking_number VARCHAR(100) NOT NULL,
    number_key VARCHAR(100) NOT NULL,
    carrier VARCHAR(30),
    customer_id INTEGER,
    matched_by VARCHAR(12),
    contents VARCHAR(500),
    declared_value BIGINT,
    declared_currency VARCHAR(3),
    note VARCHAR(500),
    label_text VARCHAR(500),
    carrier_status VARCHAR(60),
    carrier_status_at TEXT,
    weight_g INTEGER,
    length_mm INTEGER,
    width_mm INTEGER,
    height_mm INTEGER,
    photo_id INTEGER,
    announced_at TEXT,
    arrived_at TEXT,
    received_by INTEGER,
    ship_out_id INTEGER,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    CONSTRAINT uq_inbound_parcel_client_id_number_key UNIQUE (client_id, number_key)
);

CREATE INDEX ix_inbound_parcel_state ON inbound_parcel (client_id, state, id);

CREATE INDEX ix_inbound_parcel_customer ON inbound_parcel (client_id, customer_id, id);

CREATE INDEX ix_inbound_parcel_ship_out ON inbound_parcel (client_id, ship_out_id);

CREATE TABLE consolidation_policy (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    unclaimed_after_days INTEGER NOT NULL,
    queue_unannounced BOOLEAN NOT NULL,
    updated_at TEXT NOT NULL,
    CONSTRAINT uq_consolidation_policy_client_id UNIQUE (client_id)
);

CREATE TABLE consolidation_suite (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    customer_id INTEGER NOT NULL,
    code VARCHAR(20) NOT NULL,
    code_key VARCHAR(20) NOT NULL,
    created_at TEXT NOT NULL,
    CONSTRAINT uq_consolidation_suite_client_id_customer_id UNIQUE (client_id, customer_id),
    CONSTRAINT uq_consolidation_suite_client_id_code_key UNIQUE (client_id, code_key)
);

CREATE TABLE agent_session (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    user_id INTEGER NOT NULL,
    title VARCHAR(120) NOT NULL,
    status VARCHAR(10) NOT NULL,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    ended_at TEXT,
    pushed_up_to INTEGER
);

CREATE INDEX ix_agent_session_user ON agent_session (client_id, user_id, updated_at);

CREATE TABLE agent_turn (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    agent_session_id INTEGER NOT NULL,
    user_id INTEGER NOT NULL,
    number INTEGER NOT NULL,
    question TEXT NOT NULL,
    reply TEXT NOT NULL,
    status VARCHAR(10) NOT NULL,
    ended_by VARCHAR(20),
    model VARCHAR(100),
    language VARCHAR(10) NOT NULL,
    token_id INTEGER,
    scopes TEXT NOT NULL,
    steps INTEGER NOT NULL,
    input_tokens BIGINT NOT NULL,
    output_tokens BIGINT NOT NULL,
    cost_micro_usd BIGINT NOT NULL,
    asked_at TEXT NOT NULL,
    started_at TEXT,
    ended_at TEXT,
    CONSTRAINT uq_agent_turn_client_id_agent_session_id_number UNIQUE (client_id, agent_session_id, number)
);

CREATE UNIQUE INDEX ux_agent_turn_active ON agent_turn (client_id, agent_session_id) WHERE status IN ('queued', 'running');

CREATE TABLE agent_event (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    agent_session_id INTEGER NOT NULL,
    agent_turn_id INTEGER NOT NULL,
    user_id INTEGER NOT NULL,
    kind VARCHAR(20) NOT NULL,
    text TEXT,
    data TEXT,
    at TEXT NOT NULL
);

CREATE INDEX ix_agent_event_session ON agent_event (client_id, agent_session_id, id);

CREATE TABLE agent_usage (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    day DATE NOT NULL,
    turns INTEGER NOT NULL,
    input_tokens BIGINT NOT NULL,
    output_tokens BIGINT NOT NULL,
    cost_micro_usd BIGINT NOT NULL,
    CONSTRAINT uq_agent_usage_client_id_day UNIQUE (client_id, day)
);

CREATE TABLE agent_policy (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    daily_turns INTEGER NOT NULL,
    max_steps INTEGER NOT NULL,
    max_tokens INTEGER NOT NULL,
    max_seconds INTEGER NOT NULL,
    max_cost_micro_usd BIGINT NOT NULL,
    shows_prices BOOLEAN NOT NULL,
    CONSTRAINT uq_agent_policy_client_id UNIQUE (client_id)
);

CREATE TABLE load_space (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    code VARCHAR(40) NOT NULL,
    name VARCHAR(120) NOT NULL,
    kind VARCHAR(10) NOT NULL,
    length_mm INTEGER NOT NULL,
    width_mm INTEGER NOT NULL,
    height_mm INTEGER NOT NULL,
    payload_g INTEGER NOT NULL,
    tare_g INTEGER NOT NULL,
    cost_minor INTEGER NOT NULL,
    stock INTEGER NOT NULL,
    target_utilization_percent INTEGER NOT NULL,
    layout TEXT NOT NULL,
    active BOOLEAN NOT NULL,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    CONSTRAINT uq_load_space_client_id_code UNIQUE (client_id, code)
);

CREATE TABLE load_space_vehicle (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    vehicle_id INTEGER NOT NULL,
    load_space_id INTEGER NOT NULL,
    CONSTRAINT uq_load_space_vehicle_client_id_vehicle_id UNIQUE (client_id, vehicle_id)
);

CREATE INDEX ix_load_space_vehicle_space ON load_space_vehicle (client_id, load_space_id);

CREATE TABLE load_plan (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    route_id INTEGER NOT NULL,
    digest VARCHAR(64) NOT NULL,
    input_hash VARCHAR(64) NOT NULL,
    problem TEXT NOT NULL,
    "plan" TEXT NOT NULL,
    pieces INTEGER NOT NULL,
    left_over INTEGER NOT NULL,
    spaces_used INTEGER NOT NULL,
    cost_minor BIGINT NOT NULL,
    created_at TEXT NOT NULL,
    created_by INTEGER,
    replaced_at TEXT,
    CONSTRAINT uq_load_plan_client_id_route_id_digest UNIQUE (client_id, route_id, digest)
);

CREATE INDEX ix_load_plan_route ON load_plan (client_id, route_id, id);

CREATE TABLE stock_shortage (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    warehouse_id INTEGER NOT NULL,
    reference VARCHAR(80) NOT NULL,
    order_id INTEGER,
    product_id INTEGER NOT NULL,
    quantity INTEGER NOT NULL,
    source VARCHAR(40) NOT NULL,
    owner_id INTEGER,
    note VARCHAR(255),
    created_at TEXT NOT NULL,
    resolved_at TEXT,
    resolved_by INTEGER
);

CREATE INDEX ix_stock_shortage_resolved ON stock_shortage (client_id, resolved_at, id);

CREATE INDEX ix_stock_shortage_reference ON stock_shortage (client_id, reference, id);

CREATE TABLE product (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    sku VARCHAR(60) NOT NULL,
    name VARCHAR(120) NOT NULL,
    barcodes TEXT NOT NULL,
    weight_g INTEGER NOT NULL,
    length_mm INTEGER NOT NULL,
    width_mm INTEGER NOT NULL,
    height_mm INTEGER NOT NULL,
    tracking VARCHAR(10) NOT NULL,
    expires BOOLEAN NOT NULL,
    reorder_below INTEGER NOT NULL,
    unit_value_minor BIGINT,
    custom_fields TEXT,
    archived BOOLEAN NOT NULL,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    CONSTRAINT uq_product_client_id_sku UNIQUE (client_id, sku)
);

CREATE TABLE product_barcode (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    barcode VARCHAR(80) NOT NULL,
    product_id INTEGER NOT NULL,
    CONSTRAINT uq_product_barcode_client_id_barcode UNIQUE (client_id, barcode)
);

CREATE INDEX ix_product_barcode_product ON product_barcode (client_id, product_id);

CREATE TABLE stock_movement (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    kind VARCHAR(12) NOT NULL,
    product_id INTEGER NOT NULL,
    quantity INTEGER NOT NULL,
    lot VARCHAR(60) NOT NULL,
    serial VARCHAR(60) NOT NULL,
    condition VARCHAR(10) NOT NULL,
    from_location_id INTEGER,
    to_location_id INTEGER,
    from_warehouse_id INTEGER,
    to_warehouse_id INTEGER,
    reference VARCHAR(80),
    reason VARCHAR(40),
    note VARCHAR(255),
    "key" VARCHAR(80),
    occurred_at TEXT NOT NULL,
    recorded_at TEXT NOT NULL,
    user_id INTEGER,
    CONSTRAINT ck_stock_movement_positive CHECK (quantity > 0),
    CONSTRAINT uq_stock_movement_client_id_key UNIQUE (client_id, "key")
);

CREATE INDEX ix_stock_movement_from ON stock_movement (client_id, from_warehouse_id, id);

CREATE INDEX ix_stock_movement_to ON stock_movement (client_id, to_warehouse_id, id);

CREATE INDEX ix_stock_movement_product ON stock_movement (client_id, product_id, id);

CREATE INDEX ix_stock_movement_occurred ON stock_movement (client_id, product_id, occurred_at, kind, from_warehouse_id, to_warehouse_id, quantity);

CREATE INDEX ix_stock_movement_reference ON stock_movement (client_id, reference, id);

CREATE TABLE stock_level (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    warehouse_id INTEGER NOT NULL,
    location_id INTEGER NOT NULL,
    product_id INTEGER NOT NULL,
    lot VARCHAR(60) NOT NULL,
    serial VARCHAR(60) NOT NULL,
    condition VARCHAR(10) NOT NULL,
    expires_on DATE,
    on_hand BIGINT NOT NULL,
    reserved BIGINT NOT NULL,
    CONSTRAINT ck_stock_level_reserved CHECK (reserved >= 0),
    CONSTRAINT uq_stock_level_client_id_location_id_product_id_lot_serial_condition UNIQUE (client_id, location_id, product_id, lot, serial, condition)
);

CREATE INDEX ix_stock_level_product ON stock_level (client_id, product_id, warehouse_id);

CREATE INDEX ix_stock_level_expiry ON stock_level (client_id, expires_on, id);

CREATE INDEX ix_stock_level_warehouse ON stock_level (client_id, warehouse_id, id);

CREATE TABLE stock_lot (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    product_id INTEGER NOT NULL,
    lot VARCHAR(60) NOT NULL,
    expires_on DATE NOT NULL,
    CONSTRAINT uq_stock_lot_client_id_product_id_lot UNIQUE (client_id, product_id, lot)
);

CREATE TABLE stock_reservation (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    warehouse_id INTEGER NOT NULL,
    reference VARCHAR(80) NOT NULL,
    level_id INTEGER NOT NULL,
    quantity INTEGER NOT NULL,
    created_at TEXT NOT NULL,
    CONSTRAINT ck_stock_reservation_positive CHECK (quantity > 0),
    CONSTRAINT uq_stock_reservation_client_id_warehouse_id_reference_level_id UNIQUE (client_id, warehouse_id, reference, level_id)
);

CREATE INDEX ix_stock_reservation_level ON stock_reservation (client_id, level_id);

CREATE TABLE warehouse (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    code VARCHAR(40) NOT NULL,
    name VARCHAR(120) NOT NULL,
    address VARCHAR(300) NOT NULL,
    lat FLOAT,
    lng FLOAT,
    closed BOOLEAN NOT NULL,
    created_at TEXT NOT NULL,
    CONSTRAINT uq_warehouse_client_id_code UNIQUE (client_id, code)
);

CREATE TABLE warehouse_location (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    warehouse_id INTEGER NOT NULL,
    code VARCHAR(40) NOT NULL,
    zone VARCHAR(40),
    kind VARCHAR(20) NOT NULL,
    barcode VARCHAR(80) NOT NULL,
    walk_order INTEGER NOT NULL,
    capacity INTEGER,
    blocked BOOLEAN NOT NULL,
    CONSTRAINT uq_warehouse_location_client_id_warehouse_id_code UNIQUE (client_id, warehouse_id, code),
    CONSTRAINT uq_warehouse_location_client_id_barcode UNIQUE (client_id, barcode)
);

CREATE INDEX ix_warehouse_location_walk ON warehouse_location (client_id, warehouse_id, walk_order, code);

CREATE TABLE personal_data_request (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    kind VARCHAR(10) NOT NULL,
    state VARCHAR(10) NOT NULL,
    keys TEXT,
    records TEXT NOT NULL,
    file_id INTEGER,
    user_id INTEGER,
    requested_by INTEGER,
    set_up_with INTEGER,
    cancelled_reason VARCHAR(20),
    created_at TEXT NOT NULL,
    finished_at TEXT,
    expires_at TEXT
);

CREATE INDEX ix_personal_data_request_client_id_id ON personal_data_request (client_id, id);

CREATE TABLE retention_progress (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    kind VARCHAR(40) NOT NULL,
    done_until TEXT NOT NULL,
    last_run_at TEXT NOT NULL,
    removed BIGINT NOT NULL,
    CONSTRAINT uq_retention_progress_client_id_kind UNIQUE (client_id, kind)
);

CREATE TABLE weekly_report_subscription (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    user_id INTEGER NOT NULL,
    set_up_with INTEGER,
    since TEXT NOT NULL,
    not_before DATE NOT NULL,
    last_week DATE,
    CONSTRAINT uq_weekly_report_subscription_client_id_user_id UNIQUE (client_id, user_id)
);

CREATE TABLE platform_app (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    code VARCHAR(50) NOT NULL,
    name VARCHAR(120) NOT NULL,
    type VARCHAR(20) NOT NULL,
    schema_version INTEGER NOT NULL,
    roles TEXT NOT NULL,
    idp_issuer VARCHAR(255),
    server_client_id VARCHAR(255),
    active BOOLEAN NOT NULL,
    created_at TEXT NOT NULL,
    CONSTRAINT uq_platform_app_code UNIQUE (code)
);

CREATE TABLE platform_app_client (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    app_id INTEGER NOT NULL,
    enabled BOOLEAN NOT NULL,
    methods TEXT NOT NULL,
    capabilities TEXT NOT NULL,
    quick_actions TEXT NOT NULL,
    hidden_quick_actions TEXT NOT NULL,
    default_phone_region VARCHAR(2) NOT NULL,
    requires_approval BOOLEAN NOT NULL,
    version INTEGER NOT NULL,
    updated_at TEXT NOT NULL,
    CONSTRAINT uq_platform_app_client_client_id_app_id UNIQUE (client_id, app_id)
);

CREATE INDEX ix_platform_app_client_app_id ON platform_app_client (app_id);

CREATE TABLE app_version_policy (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    app_id INTEGER NOT NULL,
    platform VARCHAR(10) NOT NULL,
    minimum VARCHAR(64),
    recommended VARCHAR(64),
    blocked TEXT NOT NULL,
    store_url VARCHAR(500),
    CONSTRAINT uq_app_version_policy_client_id_app_id_platform UNIQUE (client_id, app_id, platform)
);

CREATE TABLE app_session (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    app_id INTEGER NOT NULL,
    user_id INTEGER NOT NULL,
    device_id VARCHAR(191) NOT NULL,
    device_platform VARCHAR(10) NOT NULL,
    app_version VARCHAR(64),
    method VARCHAR(20) NOT NULL,
    created_at TEXT NOT NULL,
    refreshed_at TEXT,
    ended_at TEXT,
    end_reason VARCHAR(20)
);

CREATE INDEX ix_app_session_device ON app_session (client_id, user_id, app_id, device_id);

CREATE TABLE app_session_token (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    session_id INTEGER NOT NULL,
    token_id INTEGER NOT NULL,
    replaced_at TEXT,
    CONSTRAINT uq_app_session_token_token_id UNIQUE (token_id)
);

CREATE INDEX ix_app_session_token_session_id ON app_session_token (session_id);

CREATE INDEX ix_app_session_token_client_id ON app_session_token (client_id);

CREATE TABLE identity_binding (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    issuer VARCHAR(255) NOT NULL,
    subject VARCHAR(255) NOT NULL,
    user_id INTEGER NOT NULL,
    created_at TEXT NOT NULL,
    CONSTRAINT uq_identity_binding_issuer_subject UNIQUE (issuer, subject),
    CONSTRAINT uq_identity_binding_issuer_user_id UNIQUE (issuer, user_id)
);

CREATE TABLE user_phone (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    phone VARCHAR(16) NOT NULL,
    user_id INTEGER NOT NULL,
    verified_at TEXT NOT NULL,
    CONSTRAINT uq_user_phone_client_id_phone UNIQUE (client_id, phone),
    CONSTRAINT uq_user_phone_user_id UNIQUE (user_id)
);

CREATE TABLE phone_challenge (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    handle VARCHAR(60) NOT NULL,
    app_id INTEGER NOT NULL,
    phone VARCHAR(16) NOT NULL,
    device_id VARCHAR(191),
    address_sha256 BLOB,
    code_hash VARCHAR(255),
    attempts INTEGER NOT NULL,
    created_at TEXT NOT NULL,
    expires_at TEXT NOT NULL,
    closed_at TEXT,
    CONSTRAINT uq_phone_challenge_handle UNIQUE (handle)
);

CREATE INDEX ix_phone_challenge_client_id ON phone_challenge (client_id);

CREATE INDEX ix_phone_challenge_phone ON phone_challenge (phone, created_at);

CREATE INDEX ix_phone_challenge_created_at ON phone_challenge (created_at);

CREATE TABLE app_registration (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    app_id INTEGER NOT NULL,
    phone VARCHAR(16) NOT NULL,
    token_sha256 BLOB NOT NULL,
    step VARCHAR(20) NOT NULL,
    language VARCHAR(10) NOT NULL,
    name VARCHAR(120),
    email VARCHAR(254),
    password_hash VARCHAR(255),
    issuer VARCHAR(255),
    subject VARCHAR(255),
    user_id INTEGER,
    created_at TEXT NOT NULL,
    expires_at TEXT NOT NULL,
    completed_at TEXT,
    decided_at TEXT,
    decided_by INTEGER,
    reason VARCHAR(255),
    CONSTRAINT uq_app_registration_token_sha256 UNIQUE (token_sha256)
);

CREATE INDEX ix_app_registration_step ON app_registration (client_id, step);

CREATE TABLE dataset_group (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    name VARCHAR(120) NOT NULL,
    description VARCHAR(500),
    readers TEXT NOT NULL,
    created_at TEXT NOT NULL,
    CONSTRAINT uq_dataset_group_client_id_name UNIQUE (client_id, name)
);

CREATE TABLE dataset (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    name VARCHAR(120) NOT NULL,
    description VARCHAR(500),
    group_id BIGINT,
    record_schema TEXT NOT NULL,
    slots TEXT NOT NULL,
    key_field VARCHAR(64),
    address_fields TEXT NOT NULL,
    address_country VARCHAR(2),
    version INTEGER NOT NULL,
    record_count BIGINT NOT NULL,
    unready TEXT NOT NULL,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    deleted_at TEXT
);

CREATE INDEX ix_dataset_client_id ON dataset (client_id);

CREATE UNIQUE INDEX uq_dataset_name ON dataset (client_id, name) WHERE deleted_at IS NULL;

CREATE TABLE dataset_version (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    dataset_id BIGINT NOT NULL,
    version INTEGER NOT NULL,
    record_schema TEXT NOT NULL,
    slots TEXT NOT NULL,
    address_fields TEXT NOT NULL,
    written_at TEXT NOT NULL,
    written_by BIGINT,
    CONSTRAINT uq_dataset_version_client_id_dataset_id_version UNIQUE (client_id, dataset_id, version)
);

CREATE TABLE dataset_import (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    dataset_id BIGINT NOT NULL,
    format VARCHAR(10) NOT NULL,
    if_exists VARCHAR(10) NOT NULL,
    check_only BOOLEAN NOT NULL,
    encoding VARCHAR(30),
    content BLOB NOT NULL,
    total INTEGER NOT NULL,
    done INTEGER NOT NULL,
    created INTEGER NOT NULL,
    updated INTEGER NOT NULL,
    unchanged INTEGER NOT NULL,
    refused INTEGER NOT NULL,
    created_by BIGINT,
    account VARCHAR(20) NOT NULL,
    created_at TEXT NOT NULL,
    finished_at TEXT,
    cancelled_at TEXT
);

CREATE INDEX ix_dataset_import_dataset ON dataset_import (dataset_id, id);

CREATE INDEX ix_dataset_import_client_id ON dataset_import (client_id);

CREATE TABLE dataset_import_outcome (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    import_id BIGINT NOT NULL,
    first_row INTEGER NOT NULL,
    last_row INTEGER NOT NULL,
    refused INTEGER NOT NULL,
    outcomes TEXT NOT NULL,
    CONSTRAINT uq_dataset_import_outcome_client_id_import_id_last_row UNIQUE (client_id, import_id, last_row)
);

CREATE TABLE dataset_record (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    dataset_id BIGINT NOT NULL,
    "key" TEXT,
    "values" TEXT NOT NULL,
    schema_version INTEGER NOT NULL,
    version INTEGER NOT NULL,
    lat FLOAT,
    lng FLOAT,
    cell BIGINT,
    place VARCHAR(12) NOT NULL,
    place_quality VARCHAR(20),
    place_fault VARCHAR(20),
    k1 TEXT,
    k2 TEXT,
    k3 TEXT,
    k4 TEXT,
    k5 TEXT,
    k6 TEXT,
    k7 TEXT,
    k8 TEXT,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    updated_by BIGINT,
    CONSTRAINT uq_dataset_record_client_id_dataset_id_key UNIQUE (client_id, dataset_id, "key")
);

CREATE INDEX ix_dataset_record_k8 ON dataset_record (dataset_id, k8, id) WHERE k8 IS NOT NULL;

CREATE INDEX ix_dataset_record_place ON dataset_record (dataset_id, place, id);

CREATE INDEX ix_dataset_record_k7 ON dataset_record (dataset_id, k7, id) WHERE k7 IS NOT NULL;

CREATE INDEX ix_dataset_record_k4 ON dataset_record (dataset_id, k4, id) WHERE k4 IS NOT NULL;

CREATE INDEX ix_dataset_record_k5 ON dataset_record (dataset_id, k5, id) WHERE k5 IS NOT NULL;

CREATE INDEX ix_dataset_record_cell ON dataset_record (dataset_id, cell) WHERE cell IS NOT NULL;

CREATE INDEX ix_dataset_record_k1 ON dataset_record (dataset_id, k1, id) WHERE k1 IS NOT NULL;

CREATE INDEX ix_dataset_record_k2 ON dataset_record (dataset_id, k2, id) WHERE k2 IS NOT NULL;

CREATE INDEX ix_dataset_record_id ON dataset_record (dataset_id, id);

CREATE INDEX ix_dataset_record_k3 ON dataset_record (dataset_id, k3, id) WHERE k3 IS NOT NULL;

CREATE INDEX ix_dataset_record_k6 ON dataset_record (dataset_id, k6, id) WHERE k6 IS NOT NULL;

CREATE TABLE dataset_record_words (
    id INTEGER NOT NULL,
    client_id INTEGER NOT NULL,
    words TEXT NOT NULL,
    CONSTRAINT pk_dataset_record_words PRIMARY KEY (id)
);

CREATE TABLE dataset_record_version (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    dataset_id BIGINT NOT NULL,
    record_id BIGINT NOT NULL,
    version INTEGER NOT NULL,
    schema_version INTEGER NOT NULL,
    "values" TEXT NOT NULL,
    lat FLOAT,
    lng FLOAT,
    written_at TEXT NOT NULL,
    written_by BIGINT,
    CONSTRAINT uq_dataset_record_version_client_id_record_id_version UNIQUE (client_id, record_id, version)
);

CREATE INDEX ix_dataset_record_version_dataset ON dataset_record_version (dataset_id, record_id);

CREATE TABLE dataset_geocoding (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    dataset_id BIGINT NOT NULL,
    again BOOLEAN NOT NULL,
    place VARCHAR(12) NOT NULL,
    after_id BIGINT NOT NULL,
    total INTEGER NOT NULL,
    done INTEGER NOT NULL,
    exact INTEGER NOT NULL,
    approximate INTEGER NOT NULL,
    not_found INTEGER NOT NULL,
    created_by BIGINT,
    created_at TEXT NOT NULL,
    finished_at TEXT,
    cancelled_at TEXT
);

CREATE INDEX ix_dataset_geocoding_dataset ON dataset_geocoding (dataset_id, id);

CREATE INDEX ix_dataset_geocoding_client_id ON dataset_geocoding (client_id);

CREATE TABLE rider_duty (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    driver_id INTEGER NOT NULL,
    available BOOLEAN NOT NULL,
    changed_at TEXT NOT NULL,
    CONSTRAINT uq_rider_duty_client_id_driver_id UNIQUE (client_id, driver_id)
);

CREATE TABLE instant_job (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    order_id INTEGER NOT NULL,
    depot_id INTEGER NOT NULL,
    status VARCHAR(10) NOT NULL,
    round INTEGER NOT NULL,
    lat FLOAT NOT NULL,
    lng FLOAT NOT NULL,
    driver_id INTEGER,
    route_id INTEGER,
    asked_by INTEGER,
    created_at TEXT NOT NULL,
    ended_at TEXT
);

CREATE UNIQUE INDEX uq_instant_job_open_order ON instant_job (client_id, order_id) WHERE status = 'open';

CREATE INDEX ix_instant_job_client_id_status ON instant_job (client_id, status);

CREATE INDEX ix_instant_job_client_id_driver_id ON instant_job (client_id, driver_id);

CREATE TABLE instant_offer (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    job_id INTEGER NOT NULL,
    driver_id INTEGER NOT NULL,
    round INTEGER NOT NULL,
    status VARCHAR(10) NOT NULL,
    away_m INTEGER NOT NULL,
    offered_at TEXT NOT NULL,
    expires_at TEXT NOT NULL,
    answered_at TEXT,
    reason VARCHAR(255),
    CONSTRAINT uq_instant_offer_client_id_job_id_driver_id UNIQUE (client_id, job_id, driver_id)
);

CREATE INDEX ix_instant_offer_client_id_driver_id_status ON instant_offer (client_id, driver_id, status);

CREATE TABLE rider_event (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    driver_id INTEGER NOT NULL,
    event_id VARCHAR(64) NOT NULL,
    "after" VARCHAR(64),
    kind VARCHAR(20) NOT NULL,
    route_id INTEGER NOT NULL,
    occurred_at TEXT NOT NULL,
    device_at TEXT,
    received_at TEXT NOT NULL,
    settled_at TEXT,
    status VARCHAR(10) NOT NULL,
    code VARCHAR(64),
    params TEXT,
    fields TEXT,
    body TEXT NOT NULL,
    CONSTRAINT uq_rider_event_client_id_driver_id_event_id UNIQUE (client_id, driver_id, event_id)
);

CREATE INDEX ix_rider_event_client_id_driver_id_status ON rider_event (client_id, driver_id, status);

CREATE TABLE driver_registration (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    name VARCHAR(120) NOT NULL,
    email VARCHAR(254) NOT NULL,
    phone VARCHAR(50) NOT NULL,
    vehicle VARCHAR(120),
    note VARCHAR(500),
    language VARCHAR(10),
    documents TEXT NOT NULL,
    token_sha256 BLOB NOT NULL,
    status VARCHAR(10) NOT NULL,
    reason VARCHAR(255),
    submitted_at TEXT NOT NULL,
    decided_at TEXT,
    decided_by INTEGER,
    driver_id INTEGER,
    user_id INTEGER,
    CONSTRAINT uq_driver_registration_token_sha256 UNIQUE (token_sha256)
);

CREATE INDEX ix_driver_registration_client_id_status ON driver_registration (client_id, status);

CREATE TABLE password_reset (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    user_id INTEGER NOT NULL,
    sent_to VARCHAR(254) NOT NULL,
    token_sha256 BLOB NOT NULL,
    created_at TEXT NOT NULL,
    expires_at TEXT NOT NULL,
    used_at TEXT,
    CONSTRAINT uq_password_reset_token_sha256 UNIQUE (token_sha256)
);

CREATE INDEX ix_password_reset_client_id ON password_reset (client_id);

CREATE INDEX ix_password_reset_user_id ON password_reset (user_id);

CREATE TABLE saved_view (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    noun VARCHAR(80) NOT NULL,
    name VARCHAR(60) NOT NULL,
    filters TEXT NOT NULL,
    columns TEXT NOT NULL,
    kept_for INTEGER NOT NULL,
    made_by INTEGER NOT NULL,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    CONSTRAINT uq_saved_view_client_id_kept_for_noun_name UNIQUE (client_id, kept_for, noun, name)
);

CREATE TABLE first_view (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    user_id INTEGER NOT NULL,
    noun VARCHAR(80) NOT NULL,
    view_id INTEGER NOT NULL,
    CONSTRAINT uq_first_view_client_id_user_id_noun UNIQUE (client_id, user_id, noun)
);

CREATE INDEX ix_first_view_view_id ON first_view (view_id);

CREATE TABLE webhook_endpoint (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    url VARCHAR(1000) NOT NULL,
    events TEXT NOT NULL,
    description VARCHAR(200),
    customer_id INTEGER,
    enabled BOOLEAN NOT NULL,
    set_up_by INTEGER,
    set_up_with INTEGER,
    created_at TEXT NOT NULL,
    sealed_secret TEXT NOT NULL,
    keyed_at TEXT NOT NULL,
    sealed_old_secret TEXT,
    overlap_until TEXT,
    failures INTEGER NOT NULL,
    failing_since TEXT,
    rests_until TEXT,
    disabled_at TEXT,
    disabled_why VARCHAR(20),
    CONSTRAINT uq_webhook_endpoint_client_id_url UNIQUE (client_id, url)
);

CREATE TABLE webhook_delivery (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    endpoint_id INTEGER,
    url VARCHAR(1000) NOT NULL,
    message_id VARCHAR(60) NOT NULL,
    event VARCHAR(60) NOT NULL,
    subject VARCHAR(120),
    sequence BIGINT NOT NULL,
    payload TEXT NOT NULL,
    status VARCHAR(20) NOT NULL,
    attempts INTEGER NOT NULL,
    tries INTEGER NOT NULL,
    created_at TEXT NOT NULL,
    next_attempt_at TEXT,
    ended_at TEXT,
    last_status INTEGER,
    last_fault VARCHAR(20),
    last_latency_ms INTEGER,
    CONSTRAINT uq_webhook_delivery_client_id_message_id_url UNIQUE (client_id, message_id, url)
);

CREATE INDEX ix_webhook_delivery_newest ON webhook_delivery (client_id, id);

CREATE INDEX ix_webhook_delivery_created ON webhook_delivery (created_at);

CREATE INDEX ix_webhook_delivery_endpoint ON webhook_delivery (client_id, endpoint_id, id);

CREATE TABLE webhook_attempt (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    delivery_id INTEGER NOT NULL,
    number INTEGER NOT NULL,
    at TEXT NOT NULL,
    status INTEGER,
    fault VARCHAR(20),
    latency_ms INTEGER NOT NULL,
    response TEXT NOT NULL,
    replayed BOOLEAN NOT NULL
);

CREATE INDEX ix_webhook_attempt_delivery ON webhook_attempt (client_id, delivery_id, number);

CREATE INDEX ix_webhook_attempt_at ON webhook_attempt (at);

CREATE TABLE device_alarm_settings (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    silent_min INTEGER NOT NULL,
    silent_kinds TEXT NOT NULL,
    battery_pct INTEGER NOT NULL,
    letters BOOLEAN NOT NULL,
    changed_at TEXT NOT NULL,
    CONSTRAINT uq_device_alarm_settings_client_id UNIQUE (client_id)
);

CREATE TABLE device_watch (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    watched_at TEXT NOT NULL,
    listening_since TEXT NOT NULL,
    CONSTRAINT uq_device_watch_client_id UNIQUE (client_id)
);

CREATE TABLE device_alarm (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    device_id INTEGER NOT NULL,
    site_id INTEGER,
    kind VARCHAR(12) NOT NULL,
    status VARCHAR(10) NOT NULL,
    last_seen_at TEXT,
    battery_pct INTEGER,
    raised_at TEXT NOT NULL,
    ended_at TEXT
);

CREATE INDEX ix_device_alarm_device ON device_alarm (client_id, device_id, id);

CREATE UNIQUE INDEX uq_device_alarm_live ON device_alarm (client_id, device_id, kind) WHERE ended_at IS NULL;

CREATE INDEX ix_device_alarm_site ON device_alarm (client_id, site_id, id);

CREATE TABLE device_reading (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    device_id INTEGER NOT NULL,
    at TEXT NOT NULL,
    telemetry TEXT NOT NULL,
    clock_offset_s INTEGER NOT NULL
);

CREATE INDEX ix_device_reading_device ON device_reading (client_id, device_id, at);

CREATE TABLE recipient_return_settings (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    active BOOLEAN NOT NULL,
    days INTEGER NOT NULL,
    ways TEXT NOT NULL,
    reasons TEXT NOT NULL,
    hold_hours INTEGER NOT NULL,
    service VARCHAR(30) NOT NULL,
    changed_at TEXT NOT NULL,
    CONSTRAINT uq_recipient_return_settings_client_id UNIQUE (client_id)
);

CREATE TABLE recipient_return (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    order_id INTEGER NOT NULL,
    return_order_id INTEGER NOT NULL,
    customer_id INTEGER,
    way VARCHAR(10) NOT NULL,
    reason VARCHAR(40) NOT NULL,
    note VARCHAR(300),
    site_id INTEGER,
    hand_in_until TEXT,
    handed_in_at TEXT,
    outcome VARCHAR(10),
    begun_at TEXT NOT NULL,
    ended_at TEXT,
    CONSTRAINT uq_recipient_return_client_id_return_order_id UNIQUE (client_id, return_order_id)
);

CREATE INDEX ix_recipient_return_order ON recipient_return (client_id, order_id, id);

CREATE INDEX ix_recipient_return_customer ON recipient_return (client_id, customer_id, id);

CREATE UNIQUE INDEX uq_recipient_return_live ON recipient_return (client_id, order_id) WHERE outcome IS NULL;

CREATE TABLE locker_screen (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    site_id INTEGER NOT NULL,
    name VARCHAR(120) NOT NULL,
    key_sha256 BLOB NOT NULL,
    wrong_codes INTEGER NOT NULL,
    rests_until TEXT,
    last_seen_at TEXT,
    created_at TEXT NOT NULL,
    ended_at TEXT,
    CONSTRAINT uq_locker_screen_key_sha256 UNIQUE (key_sha256)
);

CREATE INDEX ix_locker_screen_site ON locker_screen (client_id, site_id);

CREATE TABLE locker_courier_code (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    site_id INTEGER NOT NULL,
    code_sha256 BLOB NOT NULL,
    made_by INTEGER,
    created_at TEXT NOT NULL,
    expires_at TEXT NOT NULL
);

CREATE UNIQUE INDEX uq_locker_courier_code ON locker_courier_code (client_id, code_sha256);

CREATE TABLE delivery_partnership (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    giver_code VARCHAR(64) NOT NULL,
    partner_id INTEGER NOT NULL,
    partner_code VARCHAR(64) NOT NULL,
    proposed_by_giver BOOLEAN NOT NULL,
    respond_within_min INTEGER NOT NULL,
    note VARCHAR(500),
    proposed_at TEXT NOT NULL,
    accepted_at TEXT,
    ended_at TEXT,
    ended_by_giver BOOLEAN,
    reason VARCHAR(255),
    live BOOLEAN,
    CONSTRAINT uq_delivery_partnership_client_id_partner_id_live UNIQUE (client_id, partner_id, live)
);

CREATE INDEX ix_delivery_partnership_partner ON delivery_partnership (partner_id, id);

CREATE TABLE partner_offer (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    partnership_id INTEGER NOT NULL,
    giver_code VARCHAR(64) NOT NULL,
    partner_id INTEGER NOT NULL,
    partner_code VARCHAR(64) NOT NULL,
    order_id INTEGER NOT NULL,
    day VARCHAR(10),
    postal_code VARCHAR(20),
    goods TEXT NOT NULL,
    fulfilment VARCHAR(20) NOT NULL,
    note VARCHAR(500),
    fee_most_minor BIGINT,
    quote_minor BIGINT,
    currency VARCHAR(3) NOT NULL,
    offered_at TEXT NOT NULL,
    respond_by TEXT NOT NULL,
    pulled_at TEXT,
    status VARCHAR(20) NOT NULL,
    answered_at TEXT,
    ended_at TEXT,
    reason VARCHAR(255),
    reference VARCHAR(120),
    last_report VARCHAR(20),
    reported_at TEXT,
    partner_order_id INTEGER,
    reported_step_id INTEGER,
    open BOOLEAN,
    held BOOLEAN,
    CONSTRAINT uq_partner_offer_client_id_order_id_held UNIQUE (client_id, order_id, held),
    CONSTRAINT uq_partner_offer_client_id_order_id_partner_id_open UNIQUE (client_id, order_id, partner_id, open)
);

CREATE INDEX ix_partner_offer_partner ON partner_offer (partner_id, status, id);

CREATE TABLE oauth_client (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "key" VARCHAR(500) NOT NULL,
    name VARCHAR(100) NOT NULL,
    uri VARCHAR(2000),
    redirect_uris TEXT NOT NULL,
    created_at TEXT NOT NULL,
    fetched_at TEXT,
    CONSTRAINT uq_oauth_client_key UNIQUE ("key")
);

CREATE INDEX ix_oauth_client_created_at ON oauth_client (created_at);

CREATE TABLE oauth_grant (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    user_id INTEGER NOT NULL,
    parent_token_id INTEGER,
    agent_id INTEGER NOT NULL,
    name VARCHAR(100) NOT NULL,
    server VARCHAR(10) NOT NULL,
    scopes TEXT NOT NULL,
    redirect_uri VARCHAR(2000),
    code_sha256 BLOB NOT NULL,
    code_challenge VARCHAR(43) NOT NULL,
    code_expires_at TEXT NOT NULL,
    created_at TEXT NOT NULL,
    began_at TEXT,
    refreshed_at TEXT,
    idle_until TEXT,
    expires_at TEXT NOT NULL,
    ended_at TEXT,
    end_reason VARCHAR(20),
    CONSTRAINT uq_oauth_grant_code_sha256 UNIQUE (code_sha256)
);

CREATE INDEX ix_oauth_grant_agent_id ON oauth_grant (agent_id);

CREATE INDEX ix_oauth_grant_owner ON oauth_grant (client_id, user_id);

CREATE TABLE oauth_refresh_token (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    grant_id INTEGER NOT NULL,
    token_sha256 BLOB NOT NULL,
    access_token_id INTEGER NOT NULL,
    created_at TEXT NOT NULL,
    expires_at TEXT NOT NULL,
    used_at TEXT,
    CONSTRAINT uq_oauth_refresh_token_token_sha256 UNIQUE (token_sha256)
);

CREATE INDEX ix_oauth_refresh_token_client_id ON oauth_refresh_token (client_id);

CREATE INDEX ix_oauth_refresh_token_access_token_id ON oauth_refresh_token (access_token_id);

CREATE INDEX ix_oauth_refresh_token_grant_id ON oauth_refresh_token (grant_id);

CREATE TABLE order_batch (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    total INTEGER NOT NULL,
    created_by BIGINT,
    account VARCHAR(20) NOT NULL,
    created_at TEXT NOT NULL,
    cancelled_at TEXT,
    finished_at TEXT
);

CREATE INDEX ix_order_batch_client_id ON order_batch (client_id);

CREATE TABLE order_batch_row (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    batch_id BIGINT NOT NULL,
    number INTEGER NOT NULL,
    request TEXT NOT NULL,
    state VARCHAR(20) NOT NULL,
    order_id BIGINT,
    tracking_number VARCHAR(64),
    fault TEXT
);

CREATE INDEX ix_order_batch_row_batch ON order_batch_row (batch_id, number);

CREATE INDEX ix_order_batch_row_client_id ON order_batch_row (client_id);

CREATE TABLE unplaced_order (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    order_id BIGINT NOT NULL,
    order_end VARCHAR(10) NOT NULL,
    reason VARCHAR(20) NOT NULL,
    lat FLOAT,
    lng FLOAT,
    quality VARCHAR(20),
    tried_at TEXT NOT NULL,
    CONSTRAINT uq_unplaced_order_client_id_order_id_order_end UNIQUE (client_id, order_id, order_end)
);

CREATE TABLE online_payment (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    customer_id INTEGER NOT NULL,
    purpose VARCHAR(20) NOT NULL,
    subject_id INTEGER,
    price_family VARCHAR(20),
    status VARCHAR(30) NOT NULL,
    open BOOLEAN,
    amount_minor BIGINT NOT NULL,
    refunded_minor BIGINT NOT NULL,
    disputed_minor BIGINT NOT NULL,
    currency VARCHAR(3) NOT NULL,
    "key" VARCHAR(80) NOT NULL,
    intent_ref VARCHAR(255),
    seen_at TEXT,
    cancel_asked_at TEXT,
    order_paid BOOLEAN,
    by_link BOOLEAN NOT NULL,
    failure_code VARCHAR(60),
    failure_text VARCHAR(300),
    created_at TEXT NOT NULL,
    settled_at TEXT,
    CONSTRAINT uq_online_payment_client_id_key UNIQUE (client_id, "key"),
    CONSTRAINT uq_online_payment_client_id_intent_ref UNIQUE (client_id, intent_ref),
    CONSTRAINT ck_online_payment_amount CHECK (amount_minor > 0)
);

CREATE INDEX ix_online_payment_subject ON online_payment (client_id, purpose, subject_id);

CREATE INDEX ix_online_payment_customer ON online_payment (client_id, customer_id, id);

CREATE UNIQUE INDEX uq_online_payment_open ON online_payment (client_id, purpose, subject_id) WHERE open AND subject_id IS NOT NULL;

CREATE TABLE online_refund (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    payment_id INTEGER NOT NULL,
    "key" VARCHAR(320) NOT NULL,
    reference VARCHAR(80),
    refund_ref VARCHAR(255),
    status VARCHAR(20) NOT NULL,
    amount_minor BIGINT NOT NULL,
    taken_from VARCHAR(20) NOT NULL,
    asked_at TEXT,
    reason VARCHAR(255),
    by_user_id INTEGER,
    created_at TEXT NOT NULL,
    CONSTRAINT uq_online_refund_client_id_key UNIQUE (client_id, "key"),
    CONSTRAINT uq_online_refund_client_id_refund_ref UNIQUE (client_id, refund_ref)
);

CREATE INDEX ix_online_refund_payment ON online_refund (client_id, payment_id);

CREATE TABLE online_dispute (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    payment_id INTEGER NOT NULL,
    dispute_ref VARCHAR(255) NOT NULL,
    status VARCHAR(20) NOT NULL,
    amount_minor BIGINT NOT NULL,
    reason VARCHAR(60) NOT NULL,
    created_at TEXT NOT NULL,
    CONSTRAINT uq_online_dispute_client_id_dispute_ref UNIQUE (client_id, dispute_ref)
);

CREATE INDEX ix_online_dispute_payment ON online_dispute (client_id, payment_id);

CREATE TABLE payment_notice (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    notice_ref VARCHAR(255) NOT NULL,
    kind VARCHAR(60) NOT NULL,
    received_at TEXT NOT NULL,
    CONSTRAINT uq_payment_notice_client_id_notice_ref UNIQUE (client_id, notice_ref)
);

CREATE INDEX ix_payment_notice_received ON payment_notice (client_id, received_at);

CREATE TABLE payment_account (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    provider VARCHAR(30) NOT NULL,
    endpoint_key VARCHAR(60) NOT NULL,
    active BOOLEAN NOT NULL,
    test_mode BOOLEAN NOT NULL,
    sealed_credentials TEXT,
    credential_names TEXT NOT NULL,
    tested_at TEXT,
    test_fault VARCHAR(300),
    created_by INTEGER,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    CONSTRAINT uq_payment_account_client_id UNIQUE (client_id),
    CONSTRAINT uq_payment_account_endpoint_key UNIQUE (endpoint_key)
);

CREATE TABLE shipout (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    customer_id INTEGER NOT NULL,
    status VARCHAR(20) NOT NULL,
    service_id INTEGER NOT NULL,
    service_code VARCHAR(40) NOT NULL,
    service_name VARCHAR(120) NOT NULL,
    shipout_ref VARCHAR(80),
    consignee TEXT NOT NULL,
    consignee_name VARCHAR(200) NOT NULL,
    consignee_email VARCHAR(254),
    consignee_phone VARCHAR(50),
    parcels TEXT NOT NULL,
    inbound_parcels TEXT,
    form_values TEXT NOT NULL,
    note VARCHAR(500) NOT NULL,
    scheduled_date DATE,
    price TEXT NOT NULL,
    price_minor BIGINT NOT NULL,
    paid_minor BIGINT NOT NULL,
    currency VARCHAR(3) NOT NULL,
    transfer_id INTEGER,
    fulfilment VARCHAR(20),
    order_id INTEGER,
    shipment_id INTEGER,
    label_fault VARCHAR(500),
    tracking_number VARCHAR(64),
    created_at TEXT NOT NULL,
    confirmed_at TEXT,
    ended_at TEXT
);

CREATE INDEX ix_shipout_status ON shipout (client_id, status);

CREATE INDEX ix_shipout_tracking_number ON shipout (client_id, tracking_number);

CREATE INDEX ix_shipout_customer ON shipout (client_id, customer_id);

CREATE INDEX ix_shipout_shipment ON shipout (client_id, shipment_id);

CREATE INDEX ix_shipout_order ON shipout (client_id, order_id);

CREATE TABLE stored_package (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    customer_id INTEGER NOT NULL,
    storage_order_id INTEGER NOT NULL,
    shipout_id INTEGER,
    state VARCHAR(20) NOT NULL,
    description VARCHAR(200) NOT NULL,
    reference VARCHAR(80),
    weight_g INTEGER NOT NULL,
    length_mm INTEGER NOT NULL,
    width_mm INTEGER NOT NULL,
    height_mm INTEGER NOT NULL,
    photo_ids TEXT NOT NULL,
    warehouse_id INTEGER NOT NULL,
    location_id INTEGER NOT NULL,
    received_at TEXT NOT NULL,
    left_at TEXT
);

CREATE INDEX ix_stored_package_order ON stored_package (client_id, storage_order_id);

CREATE INDEX ix_stored_package_customer ON stored_package (client_id, customer_id, state);

CREATE INDEX ix_stored_package_shipout ON stored_package (client_id, shipout_id);

CREATE TABLE storage_order (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    customer_id INTEGER NOT NULL,
    status VARCHAR(20) NOT NULL,
    quote_id INTEGER,
    service_code VARCHAR(40) NOT NULL,
    service_name VARCHAR(120) NOT NULL,
    terms TEXT NOT NULL,
    order_ref VARCHAR(80),
    note VARCHAR(500) NOT NULL,
    packages INTEGER NOT NULL,
    start_date DATE NOT NULL,
    end_date DATE NOT NULL,
    currency VARCHAR(3) NOT NULL,
    stored_minor BIGINT NOT NULL,
    price_minor BIGINT NOT NULL,
    owed_minor BIGINT NOT NULL,
    paid_minor BIGINT NOT NULL,
    payments INTEGER NOT NULL,
    transfer_id INTEGER,
    charged_to DATE,
    created_at TEXT NOT NULL,
    confirmed_at TEXT,
    ended_at TEXT,
    CONSTRAINT uq_storage_order_client_id_quote_id UNIQUE (client_id, quote_id)
);

CREATE INDEX ix_storage_order_customer ON storage_order (client_id, customer_id);

CREATE INDEX ix_storage_order_status ON storage_order (client_id, status);

CREATE TABLE storage_charge (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    storage_order_id INTEGER NOT NULL,
    kind VARCHAR(10) NOT NULL,
    period_start DATE NOT NULL,
    period_end DATE NOT NULL,
    amount_minor BIGINT NOT NULL,
    created_at TEXT NOT NULL,
    CONSTRAINT uq_storage_charge_client_id_storage_order_id_kind_period_end UNIQUE (client_id, storage_order_id, kind, period_end)
);

CREATE TABLE storage_quote (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    customer_id INTEGER NOT NULL,
    service_code VARCHAR(40) NOT NULL,
    service_name VARCHAR(120) NOT NULL,
    wish TEXT NOT NULL,
    terms TEXT NOT NULL,
    price_minor BIGINT NOT NULL,
    created_at TEXT NOT NULL,
    expires_at TEXT NOT NULL
);

CREATE INDEX ix_storage_quote_client_id ON storage_quote (client_id);

CREATE INDEX ix_storage_quote_created ON storage_quote (created_at);

CREATE TABLE storage_tariff (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    service_code VARCHAR(40) NOT NULL,
    name VARCHAR(120) NOT NULL,
    terms TEXT NOT NULL,
    active BOOLEAN NOT NULL,
    updated_at TEXT NOT NULL,
    CONSTRAINT uq_storage_tariff_client_id_service_code UNIQUE (client_id, service_code)
);

CREATE TABLE payment_link (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    purpose VARCHAR(20) NOT NULL,
    subject_id INTEGER NOT NULL,
    token_sha256 BLOB NOT NULL,
    expires_at TEXT NOT NULL,
    CONSTRAINT uq_payment_link_token_sha256 UNIQUE (token_sha256)
);

CREATE INDEX ix_payment_link_expires ON payment_link (client_id, expires_at);

CREATE TABLE place_import (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    kind VARCHAR(30) NOT NULL,
    rows INTEGER NOT NULL,
    check_only BOOLEAN DEFAULT 0 NOT NULL,
    encoding VARCHAR(30),
    created_by BIGINT,
    created_at TEXT NOT NULL,
    cancelled_at TEXT,
    finished_at TEXT,
    zone_map_id BIGINT
);

CREATE INDEX ix_place_import_finished ON place_import (client_id, finished_at);

CREATE TABLE place_import_row (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    import_id BIGINT NOT NULL,
    number INTEGER NOT NULL,
    document TEXT NOT NULL,
    state VARCHAR(20) NOT NULL,
    record VARCHAR(100),
    fault TEXT
);

CREATE INDEX ix_place_import_row_state ON place_import_row (client_id, import_id, state, number);

CREATE TABLE route_build (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    day DATE NOT NULL,
    planner_id INTEGER,
    created_by INTEGER,
    account VARCHAR(20) NOT NULL,
    state VARCHAR(12) NOT NULL,
    commits BOOLEAN NOT NULL,
    question TEXT NOT NULL,
    refused TEXT NOT NULL,
    orders INTEGER NOT NULL,
    "plan" TEXT,
    sums TEXT,
    steps INTEGER NOT NULL,
    attempt INTEGER NOT NULL,
    job_id INTEGER,
    fault TEXT,
    route_ids TEXT,
    created_at TEXT NOT NULL,
    started_at TEXT,
    updated_at TEXT NOT NULL,
    finished_at TEXT,
    committed_at TEXT,
    committed_by INTEGER
);

CREATE INDEX ix_route_build_client_id_day ON route_build (client_id, day);

CREATE INDEX ix_route_build_client_id_planner_id ON route_build (client_id, planner_id);

CREATE TABLE route_build_step (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    build_id INTEGER NOT NULL,
    number INTEGER NOT NULL,
    at TEXT NOT NULL,
    state VARCHAR(12) NOT NULL,
    sums TEXT,
    routes TEXT
);

CREATE INDEX ix_route_build_step_client_id_build_id_number ON route_build_step (client_id, build_id, number);

CREATE TABLE label_parse (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    state VARCHAR(20) NOT NULL,
    media_type VARCHAR(40),
    file_id INTEGER,
    text TEXT,
    engine VARCHAR(10),
    pages INTEGER,
    reading TEXT NOT NULL,
    confidence FLOAT,
    corrections TEXT NOT NULL,
    order_id INTEGER,
    failure VARCHAR(60),
    created_by INTEGER,
    created_at TEXT NOT NULL,
    finished_at TEXT
);

CREATE INDEX ix_label_parse_state ON label_parse (client_id, state, id);

CREATE INDEX ix_label_parse_order ON label_parse (client_id, order_id);

CREATE TABLE stock_count (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    warehouse_id INTEGER NOT NULL,
    state VARCHAR(10) NOT NULL,
    blind BOOLEAN NOT NULL,
    note VARCHAR(255),
    created_at TEXT NOT NULL,
    created_by INTEGER,
    decided_at TEXT,
    decided_by INTEGER
);

CREATE INDEX ix_stock_count_warehouse ON stock_count (client_id, warehouse_id, id);

CREATE TABLE stock_count_location (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    count_id INTEGER NOT NULL,
    location_id INTEGER NOT NULL,
    underway_location_id INTEGER,
    CONSTRAINT uq_stock_count_location_client_id_count_id_location_id UNIQUE (client_id, count_id, location_id),
    CONSTRAINT uq_stock_count_location_client_id_underway_location_id UNIQUE (client_id, underway_location_id)
);

CREATE INDEX ix_stock_count_location_location ON stock_count_location (client_id, location_id, count_id);

CREATE TABLE stock_count_line (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    count_id INTEGER NOT NULL,
    location_id INTEGER NOT NULL,
    product_id INTEGER NOT NULL,
    lot VARCHAR(60) NOT NULL,
    serial VARCHAR(60) NOT NULL,
    condition VARCHAR(10) NOT NULL,
    expires_on DATE,
    expected BIGINT NOT NULL,
    counted INTEGER,
    counted_at TEXT,
    scan_id INTEGER,
    CONSTRAINT uq_stock_count_line_client_id_count_id_location_id_product_id_lot_serial_condition UNIQUE (client_id, count_id, location_id, product_id, lot, serial, condition)
);

CREATE INDEX ix_stock_count_line_count ON stock_count_line (client_id, count_id, id);

CREATE TABLE carton (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    code VARCHAR(40) NOT NULL,
    name VARCHAR(120) NOT NULL,
    inner_length_mm INTEGER NOT NULL,
    inner_width_mm INTEGER NOT NULL,
    inner_height_mm INTEGER NOT NULL,
    outer_length_mm INTEGER NOT NULL,
    outer_width_mm INTEGER NOT NULL,
    outer_height_mm INTEGER NOT NULL,
    tare_g INTEGER NOT NULL,
    payload_g INTEGER NOT NULL,
    cost_minor INTEGER NOT NULL,
    stock INTEGER,
    active BOOLEAN NOT NULL,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    CONSTRAINT uq_carton_client_id_code UNIQUE (client_id, code)
);

CREATE TABLE packing_filling (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    code VARCHAR(40) NOT NULL,
    name VARCHAR(120) NOT NULL,
    unit_mm3 INTEGER NOT NULL,
    unit_g INTEGER NOT NULL,
    unit_cost_minor INTEGER NOT NULL,
    fragile_cushion_mm INTEGER NOT NULL,
    wall_cushion_mm INTEGER NOT NULL,
    default_since TEXT,
    active BOOLEAN NOT NULL,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    CONSTRAINT uq_packing_filling_client_id_code UNIQUE (client_id, code)
);

CREATE TABLE packing_plan (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    subject VARCHAR(10) NOT NULL,
    subject_id INTEGER NOT NULL,
    digest VARCHAR(64) NOT NULL,
    input_hash VARCHAR(64) NOT NULL,
    problem TEXT NOT NULL,
    "plan" TEXT NOT NULL,
    pieces INTEGER NOT NULL,
    outer_volume_mm3 BIGINT NOT NULL,
    cartons INTEGER NOT NULL,
    cost_minor BIGINT NOT NULL,
    created_at TEXT NOT NULL,
    created_by INTEGER,
    replaced_at TEXT,
    CONSTRAINT uq_packing_plan_client_id_subject_subject_id_digest UNIQUE (client_id, subject, subject_id, digest)
);

CREATE INDEX ix_packing_plan_subject ON packing_plan (client_id, subject, subject_id, id);

CREATE TABLE loaded_parcel (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    route_id INTEGER NOT NULL,
    tracking_number VARCHAR(100) NOT NULL,
    loaded_at TEXT NOT NULL,
    user_id INTEGER,
    CONSTRAINT uq_loaded_parcel_client_id_route_id_tracking_number UNIQUE (client_id, route_id, tracking_number)
);

CREATE TABLE warehouse_package (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    number VARCHAR(64) NOT NULL,
    warehouse_id INTEGER,
    transfer_id INTEGER,
    order_id INTEGER,
    package_id INTEGER,
    moves INTEGER NOT NULL,
    moved_at TEXT,
    CONSTRAINT uq_warehouse_package_client_id_number UNIQUE (client_id, number)
);

CREATE INDEX ix_warehouse_package_warehouse ON warehouse_package (client_id, warehouse_id, id);

CREATE INDEX ix_warehouse_package_transfer ON warehouse_package (client_id, transfer_id, id);

CREATE TABLE package_move (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    warehouse_package_id INTEGER NOT NULL,
    kind VARCHAR(12) NOT NULL,
    from_warehouse_id INTEGER,
    to_warehouse_id INTEGER,
    transfer_id INTEGER,
    reason VARCHAR(255),
    user_id INTEGER,
    occurred_at TEXT NOT NULL,
    recorded_at TEXT NOT NULL
);

CREATE INDEX ix_package_move_package ON package_move (client_id, warehouse_package_id, id);

CREATE TABLE pick_wave (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    warehouse_id INTEGER NOT NULL,
    staging_location_id INTEGER NOT NULL,
    created_at TEXT NOT NULL
);

CREATE INDEX ix_pick_wave_warehouse ON pick_wave (client_id, warehouse_id, id);

CREATE TABLE pick_task (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    wave_id INTEGER NOT NULL,
    reference VARCHAR(80) NOT NULL,
    reservation_id INTEGER NOT NULL,
    location_id INTEGER NOT NULL,
    product_id INTEGER NOT NULL,
    lot VARCHAR(60) NOT NULL,
    serial VARCHAR(60) NOT NULL,
    quantity INTEGER NOT NULL,
    picked INTEGER NOT NULL,
    short INTEGER NOT NULL,
    CONSTRAINT ck_pick_task_positive CHECK (quantity > 0),
    CONSTRAINT ck_pick_task_within CHECK (picked + short <= quantity),
    CONSTRAINT uq_pick_task_client_id_reservation_id UNIQUE (client_id, reservation_id)
);

CREATE INDEX ix_pick_task_wave ON pick_task (client_id, wave_id, id);

CREATE TABLE pick_package (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    warehouse_id INTEGER NOT NULL,
    reference VARCHAR(80) NOT NULL,
    weight_g INTEGER NOT NULL,
    barcode VARCHAR(60),
    packing_plan_id INTEGER,
    carton INTEGER,
    created_at TEXT NOT NULL,
    shipped_at TEXT
);

CREATE UNIQUE INDEX ix_pick_package_carton ON pick_package (client_id, packing_plan_id, carton);

CREATE INDEX ix_pick_package_reference ON pick_package (client_id, warehouse_id, reference, id);

CREATE TABLE pick_package_line (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    package_id INTEGER NOT NULL,
    product_id INTEGER NOT NULL,
    lot VARCHAR(60) NOT NULL,
    serial VARCHAR(60) NOT NULL,
    quantity INTEGER NOT NULL,
    CONSTRAINT ck_pick_package_line_positive CHECK (quantity > 0)
);

CREATE INDEX ix_pick_package_line_package ON pick_package_line (client_id, package_id, id);

CREATE TABLE plan_search (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    kind VARCHAR(10) NOT NULL,
    state VARCHAR(12) NOT NULL,
    request TEXT NOT NULL,
    problem TEXT NOT NULL,
    codes TEXT NOT NULL,
    input_hash VARCHAR(64) NOT NULL,
    pieces INTEGER NOT NULL,
    seconds INTEGER NOT NULL,
    steps INTEGER,
    seed INTEGER NOT NULL,
    "plan" TEXT,
    score TEXT,
    steps_done BIGINT NOT NULL,
    improvements INTEGER NOT NULL,
    cut_short BOOLEAN NOT NULL,
    attempt INTEGER NOT NULL,
    job_id INTEGER,
    fault VARCHAR(40),
    created_at TEXT NOT NULL,
    created_by INTEGER,
    started_at TEXT,
    updated_at TEXT NOT NULL,
    finished_at TEXT
);

CREATE INDEX ix_plan_search_kind ON plan_search (client_id, kind, id);

CREATE INDEX ix_plan_search_state ON plan_search (client_id, state, id);

CREATE TABLE plan_search_step (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    plan_search_id INTEGER NOT NULL,
    number INTEGER NOT NULL,
    at TEXT NOT NULL,
    state VARCHAR(12) NOT NULL,
    score TEXT
);

CREATE INDEX ix_plan_search_step_search ON plan_search_step (client_id, plan_search_id, number);

CREATE TABLE stock_advice (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    warehouse_id INTEGER NOT NULL,
    reference VARCHAR(80) NOT NULL,
    supplier VARCHAR(120),
    expected_on DATE,
    created_at TEXT NOT NULL,
    closed_at TEXT,
    CONSTRAINT uq_stock_advice_client_id_warehouse_id_reference UNIQUE (client_id, warehouse_id, reference)
);

CREATE INDEX ix_stock_advice_warehouse ON stock_advice (client_id, warehouse_id, id);

CREATE TABLE stock_advice_line (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    advice_id INTEGER NOT NULL,
    product_id INTEGER NOT NULL,
    expected INTEGER NOT NULL,
    received INTEGER NOT NULL,
    damaged INTEGER NOT NULL,
    CONSTRAINT ck_stock_advice_line_expected CHECK (expected >= 0),
    CONSTRAINT uq_stock_advice_line_client_id_advice_id_product_id UNIQUE (client_id, advice_id, product_id)
);

CREATE TABLE stock_advice_photo (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    advice_id INTEGER NOT NULL,
    file_id INTEGER NOT NULL,
    CONSTRAINT uq_stock_advice_photo_client_id_advice_id_file_id UNIQUE (client_id, advice_id, file_id)
);

CREATE TABLE warehouse_scan (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    device_id VARCHAR(64) NOT NULL,
    scan_id VARCHAR(64) NOT NULL,
    kind VARCHAR(12) NOT NULL,
    code VARCHAR(200) NOT NULL,
    warehouse_id INTEGER NOT NULL,
    outcome VARCHAR(16) NOT NULL,
    refusal VARCHAR(24),
    sku VARCHAR(80),
    package_number VARCHAR(64),
    quantity INTEGER,
    lot VARCHAR(60),
    serial VARCHAR(60),
    expires_on DATE,
    location_id INTEGER,
    to_location_id INTEGER,
    belongs_to_warehouse_id INTEGER,
    transfer_id INTEGER,
    route_id INTEGER,
    belongs_on_route_id INTEGER,
    reference VARCHAR(80),
    note VARCHAR(255),
    file_id INTEGER,
    user_id INTEGER,
    occurred_at TEXT NOT NULL,
    device_at TEXT,
    recorded_at TEXT NOT NULL,
    CONSTRAINT uq_warehouse_scan_client_id_device_id_scan_id UNIQUE (client_id, device_id, scan_id)
);

CREATE INDEX ix_warehouse_scan_kind ON warehouse_scan (client_id, kind, id);

CREATE INDEX ix_warehouse_scan_outcome ON warehouse_scan (client_id, outcome, id);

CREATE INDEX ix_warehouse_scan_warehouse ON warehouse_scan (client_id, warehouse_id, id);

CREATE TABLE expected_arrival (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    warehouse_id INTEGER NOT NULL,
    day DATE NOT NULL,
    number VARCHAR(64) NOT NULL,
    order_id INTEGER,
    route_id INTEGER,
    arrived_at TEXT,
    missed_at TEXT,
    created_at TEXT NOT NULL,
    CONSTRAINT uq_expected_arrival_client_id_number_warehouse_id_day UNIQUE (client_id, number, warehouse_id, day)
);

CREATE INDEX ix_expected_arrival_day ON expected_arrival (client_id, day, id);

CREATE TABLE warehouse_transfer (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    from_warehouse_id INTEGER NOT NULL,
    to_warehouse_id INTEGER NOT NULL,
    status VARCHAR(12) NOT NULL,
    reason VARCHAR(255),
    created_at TEXT NOT NULL
);

CREATE INDEX ix_warehouse_transfer_status ON warehouse_transfer (client_id, status, id);

CREATE INDEX ix_warehouse_transfer_to ON warehouse_transfer (client_id, to_warehouse_id, id);

CREATE INDEX ix_warehouse_transfer_from ON warehouse_transfer (client_id, from_warehouse_id, id);

CREATE TABLE transfer_package (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    transfer_id INTEGER NOT NULL,
    warehouse_package_id INTEGER NOT NULL,
    number VARCHAR(64) NOT NULL,
    state VARCHAR(8) NOT NULL,
    damaged BOOLEAN NOT NULL,
    reason VARCHAR(255),
    from_warehouse_id INTEGER,
    moves INTEGER NOT NULL,
    scanned_out_at TEXT,
    scanned_in_at TEXT,
    CONSTRAINT uq_transfer_package_client_id_transfer_id_warehouse_package_id UNIQUE (client_id, transfer_id, warehouse_package_id)
);

CREATE TABLE transfer_step (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    transfer_id INTEGER NOT NULL,
    step VARCHAR(12) NOT NULL,
    reason VARCHAR(255),
    user_id INTEGER,
    at TEXT NOT NULL
);

CREATE INDEX ix_transfer_step_transfer ON transfer_step (client_id, transfer_id, id);

CREATE TABLE stock_import (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    kind VARCHAR(30) NOT NULL,
    rows INTEGER NOT NULL,
    check_only BOOLEAN DEFAULT 0 NOT NULL,
    encoding VARCHAR(30),
    created_by BIGINT,
    created_at TEXT NOT NULL,
    cancelled_at TEXT,
    finished_at TEXT,
    account VARCHAR(20) NOT NULL,
    reference VARCHAR(80),
    once VARCHAR(80),
    content_sha256 VARCHAR(64),
    CONSTRAINT uq_stock_import_client_id_once UNIQUE (client_id, once)
);

CREATE INDEX ix_stock_import_finished ON stock_import (client_id, finished_at);

CREATE TABLE stock_import_row (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id INTEGER NOT NULL,
    import_id BIGINT NOT NULL,
    number INTEGER NOT NULL,
    document TEXT NOT NULL,
    state VARCHAR(20) NOT NULL,
    record VARCHAR(100),
    fault TEXT
);

CREATE INDEX ix_stock_import_row_state ON stock_import_row (client_id, import_id, state, number);

CREATE VIRTUAL TABLE "address_words_full_text" USING fts5(words, content='address_words', content_rowid='id', tokenize="ascii tokenchars '_~'", detail=none, columnsize=0, prefix='8 9 10 11 12 13 14');

INSERT INTO "address_words_full_text" ("address_words_full_text") VALUES ('rebuild');

CREATE TRIGGER "address_words_full_text_insert" AFTER INSERT ON "address_words" BEGIN INSERT INTO "address_words_full_text" (rowid, words) VALUES (new.id, new.words); END;

CREATE TRIGGER "address_words_full_text_delete" AFTER DELETE ON "address_words" BEGIN INSERT INTO "address_words_full_text" ("address_words_full_text", rowid, words) VALUES ('delete', old.id, old.words); END;

CREATE TRIGGER "address_words_full_text_update" AFTER UPDATE OF words ON "address_words" BEGIN INSERT INTO "address_words_full_text" ("address_words_full_text", rowid, words) VALUES ('delete', old.id, old.words); INSERT INTO "address_words_full_text" (rowid, words) VALUES (new.id, new.words); END;

CREATE VIRTUAL TABLE "dataset_record_words_full_text" USING fts5(words, content='dataset_record_words', content_rowid='id', tokenize="ascii tokenchars '_~'", detail=none, columnsize=0, prefix='8 9 10 11 12 13 14');

INSERT INTO "dataset_record_words_full_text" ("dataset_record_words_full_text") VALUES ('rebuild');

CREATE TRIGGER "dataset_record_words_full_text_insert" AFTER INSERT ON "dataset_record_words" BEGIN INSERT INTO "dataset_record_words_full_text" (rowid, words) VALUES (new.id, new.words); END;

CREATE TRIGGER "dataset_record_words_full_text_delete" AFTER DELETE ON "dataset_record_words" BEGIN INSERT INTO "dataset_record_words_full_text" ("dataset_record_words_full_text", rowid, words) VALUES ('delete', old.id, old.words); END;

CREATE TRIGGER "dataset_record_words_full_text_update" AFTER UPDATE OF words ON "dataset_record_words" BEGIN INSERT INTO "dataset_record_words_full_text" ("dataset_record_words_full_text", rowid, words) VALUES ('delete', old.id, old.words); INSERT INTO "dataset_record_words_full_text" (rowid, words) VALUES (new.id, new.words); END;

CREATE VIRTUAL TABLE "open_address_full_text" USING fts5(words, content='open_address', content_rowid='id', tokenize="ascii tokenchars '_~'", detail=none, columnsize=0, prefix='8 9 10 11 12 13 14');

INSERT INTO "open_address_full_text" ("open_address_full_text") VALUES ('rebuild');

CREATE TRIGGER "open_address_full_text_insert" AFTER INSERT ON "open_address" BEGIN INSERT INTO "open_address_full_text" (rowid, words) VALUES (new.id, new.words); END;

CREATE TRIGGER "open_address_full_text_delete" AFTER DELETE ON "open_address" BEGIN INSERT INTO "open_address_full_text" ("open_address_full_text", rowid, words) VALUES ('delete', old.id, old.words); END;

CREATE TRIGGER "open_address_full_text_update" AFTER UPDATE OF words ON "open_address" BEGIN INSERT INTO "open_address_full_text" ("open_address_full_text", rowid, words) VALUES ('delete', old.id, old.words); INSERT INTO "open_address_full_text" (rowid, words) VALUES (new.id, new.words); END;

CREATE TRIGGER audit_entry_update_refused BEFORE UPDATE ON audit_entry WHEN NOT (new.salt IS NULL AND new.id IS old.id AND new.owner_client_id IS old.owner_client_id AND new.at IS old.at AND new.operation IS old.operation AND new.user_id IS old.user_id AND new.account IS old.account AND new.door IS old.door AND new.request_id IS old.request_id AND new.digest IS old.digest) BEGIN SELECT RAISE(ABORT, 'the audit trail cannot be changed'); END;

CREATE TRIGGER audit_entry_delete_refused BEFORE DELETE ON audit_entry WHEN old.salt IS NOT NULL BEGIN SELECT RAISE(ABORT, 'the audit trail cannot be changed'); END;

CREATE TRIGGER audit_subject_update_refused BEFORE UPDATE ON audit_subject BEGIN SELECT RAISE(ABORT, 'the audit trail cannot be changed'); END;

CREATE TRIGGER audit_subject_delete_refused BEFORE DELETE ON audit_subject WHEN (SELECT salt FROM audit_entry WHERE id = old.entry_id) IS NOT NULL BEGIN SELECT RAISE(ABORT, 'the audit trail cannot be changed'); END;

CREATE TRIGGER audit_seal_update_refused BEFORE UPDATE ON audit_seal BEGIN SELECT RAISE(ABORT, 'the audit trail cannot be changed'); END;

CREATE TRIGGER audit_seal_delete_refused BEFORE DELETE ON audit_seal BEGIN SELECT RAISE(ABORT, 'the audit trail cannot be changed'); END;
